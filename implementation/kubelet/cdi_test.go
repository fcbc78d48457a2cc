/*
Copyright The dratest Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

package kubelet_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	drav1 "k8s.io/kubelet/pkg/apis/dra/v1"
)

// kubernetes#141433: CDI specs are lost, for example in a reboot, but the sandbox survives. Claims
// are prepared again before a container starts.
func TestLostCDISpec(t *testing.T) {
	w := newWorld(t)
	a := w.driver("a")
	p := pod("p", "c", "d")
	w.reserve(claim("c", "a"), p)
	w.reserve(claim("d", "a"), p)
	w.prepare(p)
	w.restart(a)
	w.equal("devices", w.devices(p), "a/class=c a/class=d")
	w.equal("all is there", a.seen(), "+c d")
	if err := os.Remove(filepath.Join(w.cdiDir, "a-d.json")); err != nil {
		t.Fatal(err)
	}
	w.equal("devices", w.devices(p), "a/class=c a/class=d")
	if calls := a.seen(); !strings.Contains(calls, "d") {
		t.Errorf("calls are %q", calls)
	}
	w.equal("devices", w.devices(p), "a/class=c a/class=d")
	w.equal("all is there again", a.seen(), "")
}

// Without a restart, only the affected claim is prepared again.
func TestLostCDISpecOfOneClaim(t *testing.T) {
	w := newWorld(t)
	a := w.driver("a")
	p := pod("p", "c", "d")
	w.reserve(claim("c", "a"), p)
	w.reserve(claim("d", "a"), p)
	w.prepare(p)
	w.write(filepath.Join(w.cdiDir, "a-c.json"), []byte("{"))
	w.equal("devices", w.devices(p), "a/class=c a/class=d")
	w.equal("calls", a.seen(), "+c d, +c")
}

// newWorldWithLostSpec has a driver a and a pod p with the prepared claim c, whose CDI spec is
// lost.
func newWorldWithLostSpec(t *testing.T) (*world, *driver, *corev1.Pod) {
	t.Helper()
	w := newWorld(t)
	a := w.driver("a")
	p := pod("p", "c")
	w.reserve(claim("c", "a"), p)
	w.prepare(p)
	if err := os.Remove(filepath.Join(w.cdiDir, "a-c.json")); err != nil {
		t.Fatal(err)
	}
	return w, a, p
}

// Without the driver, claims cannot be prepared again. The container runtime decides, because it
// may use other directories.
func TestLostCDISpecAndDriver(t *testing.T) {
	w, a, p := newWorldWithLostSpec(t)
	w.restart()
	w.equal("devices", w.devices(p), "a/class=c")
	w.equal("events", strings.Join(w.events(), "\n"),
		"Warning FailedPrepareDynamicResources CDI devices of ResourceClaims are lost: prepare dynamic resources: DRA driver a is not registered")
	w.register(a)
	w.equal("devices", w.devices(p), "a/class=c")
	w.equal("events", strings.Join(w.events(), "\n"), "")
	w.equal("calls", a.seen(), "+c, +c")
}

// A driver reports success without writing a CDI spec. The container runtime's error named neither
// driver nor claim, and there was no event.
func TestUnresolvedCDIDeviceIsToldWithItsDriver(t *testing.T) {
	w := newWorld(t)
	a := w.driver("a")
	p := pod("p", "c")
	w.reserve(claim("c", "a"), p)
	a.onPrepare(func(context.Context, *drav1.NodePrepareResourcesRequest) (*drav1.NodePrepareResourcesResponse, error) {
		device := func(name string) *drav1.Device {
			return &drav1.Device{PoolName: "pool", DeviceName: name, RequestNames: []string{"req"}, CdiDeviceIds: []string{"a/class=forgotten"}}
		}
		return &drav1.NodePrepareResourcesResponse{Claims: prepared{"c": {Devices: []*drav1.Device{device("one"), device("two")}}}}, nil
	})
	w.prepare(p)
	w.equal("devices", w.devices(p), "a/class=forgotten")
	w.equal("events", strings.Join(w.events(), "\n"), "Warning UnresolvedCDIDevices DRA driver a prepared ResourceClaim ns/c, "+
		"but its CDI device a/class=forgotten is in no CDI spec in "+w.cdiDir+". The container cannot start unless the container runtime finds it elsewhere")
}

// The pod is deleted while its driver prepares again: no event, and no container starts.
func TestLostCDISpecAndPodStopsWaiting(t *testing.T) {
	w, a, p := newWorldWithLostSpec(t)
	ctx, cancel := context.WithCancel(w.ctx)
	a.onPrepare(func(ctx context.Context, _ *drav1.NodePrepareResourcesRequest) (*drav1.NodePrepareResourcesResponse, error) {
		cancel()
		<-ctx.Done()
		return nil, ctx.Err()
	})
	if ids, err := w.manager.ContainerCDIDevices(ctx, p, &p.Spec.Containers[0]); err == nil {
		t.Errorf("container gets %v", ids)
	}
	w.equal("events", strings.Join(w.events(), "\n"), "")
}

// Restarting a container does not need its driver if it has no CDI devices, even after a kubelet
// restart.
func TestNoDevicesAndNoDriver(t *testing.T) {
	w := newWorld(t)
	a := w.driver("a")
	p := pod("p", "c")
	w.reserve(claim("c", "a"), p)
	a.onPrepare(func(context.Context, *drav1.NodePrepareResourcesRequest) (*drav1.NodePrepareResourcesResponse, error) {
		return &drav1.NodePrepareResourcesResponse{Claims: prepared{"c": {}}}, nil
	})
	w.prepare(p)
	w.restart()
	w.equal("devices", w.devices(p), "")
}

// The checkpoint is lost, too: a container must not start without its devices.
func TestLostDevicesAndDriver(t *testing.T) {
	w := newWorld(t)
	a := w.driver("a")
	p := pod("p", "c")
	w.reserve(claim("c", "a"), p)
	w.prepare(p)
	w.stop()
	w.write(w.path(), []byte("{"))
	w.start()
	_, err := w.manager.ContainerCDIDevices(w.ctx, p, &p.Spec.Containers[0])
	w.fails(err, "CDI devices of ResourceClaims are lost: prepare dynamic resources: DRA driver a is not registered")
	w.register(a)
	w.equal("devices", w.devices(p), "a/class=c")
}

// The directory is missing or read-only: the pod gets the driver's error. If the driver reports
// none, the container runtime decides.
func TestNoCDIDirectory(t *testing.T) {
	w := newWorld(t)
	if err := os.Remove(w.cdiDir); err != nil {
		t.Fatal(err)
	}
	a := w.driver("a")
	p := pod("p", "c")
	w.reserve(claim("c", "a"), p)
	a.onPrepare(func(context.Context, *drav1.NodePrepareResourcesRequest) (*drav1.NodePrepareResourcesResponse, error) {
		if err := os.WriteFile(filepath.Join(a.cdiDir, "x"), nil, 0o600); err != nil {
			return nil, err
		}
		return nil, errors.New("unexpected success")
	})
	w.refused(p, "NodePrepareResources: rpc error: code = Unknown desc = open "+w.cdiDir)
	a.onPrepare(nil)
	w.prepare(p)
	a.seen()
	w.equal("devices", w.devices(p), "a/class=c")
	w.equal("calls", a.seen(), "+c")
}

// A driver that cannot write its specs returns an error, the pod gets an event, and the start
// succeeds once the driver can write.
func TestCDIDirectoryCannotBeWritten(t *testing.T) {
	for name, leadsTo := range map[string]string{"full": "/dev/full", "read-only": "/proc/version"} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			a := w.driver("a")
			w.reserve(claim("c", "a"), pod("p", "c"))
			spec := filepath.Join(w.cdiDir, "a-c.json")
			if err := os.Symlink(leadsTo, spec); err != nil {
				t.Fatal(err)
			}
			a.onPrepare(func(context.Context, *drav1.NodePrepareResourcesRequest) (*drav1.NodePrepareResourcesResponse, error) {
				err := os.WriteFile(spec, []byte("{}"), 0o600)
				return &drav1.NodePrepareResourcesResponse{Claims: prepared{"c": {Error: err.Error()}}}, nil
			})
			w.refused(pod("p", "c"), "NodePrepareResources failed for ResourceClaim c: ")
			if err := os.Remove(spec); err != nil {
				t.Fatal(err)
			}
			w.recovers(a)
		})
	}
}

// Init containers get devices like containers, and each gets only those of its requests.
func TestDevicesOfContainers(t *testing.T) {
	w := newWorld(t)
	a := w.driver("a")
	p := pod("p", "c", "d")
	p.Spec.InitContainers = []corev1.Container{{Name: "init", Resources: corev1.ResourceRequirements{
		Claims: []corev1.ResourceClaim{{Name: "entry-c", Request: "other"}, {Name: "entry-d", Request: "req"}}}}}
	w.reserve(claim("c", "a"), p)
	w.reserve(claim("d", "a"), p)
	a.onPrepare(func(_ context.Context, r *drav1.NodePrepareResourcesRequest) (*drav1.NodePrepareResourcesResponse, error) {
		response := a.usual(r)
		d := response.Claims["d"]
		d.Devices = append(d.Devices, &drav1.Device{PoolName: "pool", DeviceName: "two", RequestNames: []string{"other"}, CdiDeviceIds: []string{"a/class=two"}})
		return response, nil
	})
	w.prepare(p)
	ids, err := w.manager.ContainerCDIDevices(w.ctx, p, &p.Spec.InitContainers[0])
	if err != nil || strings.Join(ids, " ") != "a/class=d" {
		t.Errorf("devices are %v, %v", ids, err)
	}

	// podresources lists the same devices, and no CDI devices of others (like the kubelet).
	var listed []string
	for _, resource := range w.manager.PodResources(w.ctx, p, &p.Spec.Containers[0]) {
		for _, claimed := range resource.ClaimResources {
			text := resource.ClaimNamespace + "/" + resource.ClaimName + " " + claimed.DriverName + "/" + claimed.PoolName + "/" + claimed.DeviceName
			for _, id := range claimed.CdiDevices {
				text += " " + id.Name
			}
			listed = append(listed, text)
		}
	}
	w.equal("podresources", strings.Join(listed, ", "),
		"ns/c a/pool/dev-c a/class=c, ns/d a/pool/dev-d a/class=d, ns/d a/pool/two a/class=two")
	if init := w.manager.PodResources(w.ctx, p, &p.Spec.InitContainers[0]); len(init) != 2 || len(init[0].ClaimResources) != 0 || len(init[1].ClaimResources) != 1 {
		t.Errorf("podresources of the init container: %v", init)
	}
	if unknown := w.manager.PodResources(w.ctx, pod("q", "x"), &pod("q", "x").Spec.Containers[0]); len(unknown) != 0 {
		t.Errorf("podresources of a pod that has not started: %v", unknown)
	}
	_, err = w.manager.ContainerCDIDevices(w.ctx, pod("q", "x"), &pod("q", "x").Spec.Containers[0])
	w.fails(err, "internal error: unable to get claim info for ResourceClaim x in namespace ns")
}
