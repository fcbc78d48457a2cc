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

package fabric

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/dra-conformance/dratest/framework/audit"
	casefabric "github.com/dra-conformance/dratest/framework/harness/fabric"
	"github.com/dra-conformance/dratest/framework/soak"
	"github.com/dra-conformance/dratest/framework/spec"
)

// killedFabric gets a request of its controller two seconds after either of them was started.
type killedFabric struct {
	casefabric.Client

	done    []string
	begun   time.Time
	silent  bool
	devices map[string]spec.FabricDevice
	// began are the start times of node drivers; they send a request one second later.
	began map[string]time.Time
}

func (f *killedFabric) TurnDriver(node string, on bool) error {
	f.done = append(f.done, fmt.Sprintf("driver %s %t", node, on))
	f.began[node] = time.Now()
	return nil
}

func (f *killedFabric) DriverAsked(node string) time.Time {
	if at := f.began[node].Add(time.Second); at.Before(time.Now()) {
		return at
	}
	return time.Time{}
}

func (f *killedFabric) Turn(_ context.Context, part spec.FabricPart, on bool) error {
	if !on {
		f.done = append(f.done, "end "+string(part))
		return nil
	}
	f.done, f.begun = append(f.done, "begin "+string(part)), time.Now()
	return nil
}

func (f *killedFabric) Asked() time.Time {
	if at := f.begun.Add(2 * time.Second); !f.silent && at.Before(time.Now()) {
		return at
	}
	return time.Time{}
}

func (f *killedFabric) Devices(context.Context) (map[string]spec.FabricDevice, error) {
	return f.devices, nil
}

func (f *killedFabric) Change(_ context.Context, c spec.FabricChange) error {
	f.devices[c.Detach] = spec.FabricDevice{ID: c.Detach, Phase: "Detaching", Node: "n"}
	return nil
}

type plane struct{ done []string }

func (p *plane) Restart(_ context.Context, cluster string, programs ...string) error {
	p.done = append(p.done, cluster+" "+strings.Join(programs, " "))
	return nil
}

func TestKillOfAFabric(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, p := &killedFabric{}, &plane{}
		target := soak.Target{Cluster: "c"}
		var names []string
		for _, fault := range (&Soak{When: Bind, fabric: f}).Kills(p) {
			names = append(names, fault.Name())
			if err := fault.Do(t.Context(), target); err != nil {
				t.Error(err)
			}
		}
		if got := strings.Join(names, ", "); got != "kill scheduler, kill controller-manager, kill controllers, kill composable-controller, kill fabric" {
			t.Errorf("names %s", got)
		}
		if got := strings.Join(f.done, ", "); got != "end controller, begin controller, end manager, begin manager" {
			t.Errorf("done %s", got)
		}
		if got := strings.Join(p.done, ", "); got != "c kube-scheduler, c kube-controller-manager, c dra-controller-manager" {
			t.Errorf("restarted %s", got)
		}
		if now := time.Since(f.begun); now < 2*time.Second {
			t.Errorf("the controller has not asked yet after %s", now)
		}
	})
}

// A kill fails if the controller does not work afterwards.
func TestKillOfAFabricThatStaysSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err := killPart{&Soak{fabric: &killedFabric{silent: true}}, spec.FabricController}.Do(ctx, soak.Target{})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
}

// Drivers are killed in turns, each when a device comes or goes on its node, and stay down longer than the idle time
// of devices. Once all devices were in use for two minutes, and the soak killed no driver.
func TestKillOfADriver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &killedFabric{began: map[string]time.Time{}, devices: map[string]spec.FabricDevice{
			"gpu-0": {ID: "gpu-0", Phase: "Attached", Node: "n1"}, "gpu-1": {ID: "gpu-1", Phase: "Free"},
			"gpu-2": {ID: "gpu-2", Phase: "Attaching", Node: "n2", Elsewhere: true},
		}}
		// n3 publishes a removed device.
		target := soak.Target{Client: fake.NewClientset(slice("n1", "gpu-0"), slice("n3", "gpu-1")), Driver: "d"}
		kill := &killDriver{soak: &Soak{fabric: f, nodes: []string{"n3", "n2", "n1"}}}
		turn := func(want string) {
			t.Helper()
			f.done = nil
			began := time.Now()
			if err := kill.Do(t.Context(), target); err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(f.done, ", "); got != want || time.Since(began) < 6*time.Second {
				t.Errorf("done %s in %s", got, time.Since(began))
			}
		}
		turn("driver n3 false, driver n3 true")
		f.devices["gpu-1"] = spec.FabricDevice{ID: "gpu-1", Phase: "Attaching", Node: "n1"}
		turn("driver n1 false, driver n1 true")
		f.devices["gpu-1"] = spec.FabricDevice{ID: "gpu-1", Phase: "Attached", Node: "n2"}
		turn("driver n2 false, driver n2 true")
		turn("driver n3 false, driver n3 true")
		turn("driver n2 false, driver n2 true")

		target.Client, f.devices["gpu-1"] = fake.NewClientset(slice("n1", "gpu-0")), spec.FabricDevice{ID: "gpu-1", Phase: "Free"}
		turn("driver n3 false, driver n3 true")
		turn("driver n1 false, driver n1 true")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		f.done = nil
		if err := kill.Do(ctx, target); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "comes or goes") || len(f.done) > 0 {
			t.Errorf("in a soak that ends: %v, %v", err, f.done)
		}
		kill.soak.nodes = nil
		if err := kill.Do(t.Context(), soak.Target{}); err == nil || !strings.Contains(err.Error(), "no drivers") {
			t.Errorf("without drivers: %v", err)
		}
	})
}

// slice is published by a node's driver.
func slice(node, device string) *resourceapi.ResourceSlice {
	return &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: "of-" + node}, Spec: resourceapi.ResourceSliceSpec{
		Driver: "d", NodeName: &node, Pool: resourceapi.ResourcePool{Name: node}, Devices: []resourceapi.Device{{Name: device}}}}
}

// Each fault violates its rule.
func TestInjectIntoAFabric(t *testing.T) {
	inUse := func(name, device string) *resourceapi.ResourceClaim {
		c := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name}}
		c.Status.ReservedFor = []resourceapi.ResourceClaimConsumerReference{{Resource: "pods", Name: name}}
		c.Status.Allocation = &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{
			Results: []resourceapi.DeviceRequestAllocationResult{{Driver: "d", Pool: "n", Device: device}}}}
		return c
	}
	for i := range (&Soak{}).Injections() {
		objects := []runtime.Object{inUse("one", "gpu-0"), inUse("two", "gpu-1")}
		for _, name := range []string{"a", "b", "c"} {
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID(name)}}
			pod.Status.Phase = corev1.PodRunning
			objects = append(objects, pod)
		}
		f := &killedFabric{devices: map[string]spec.FabricDevice{
			"gpu-0": {ID: "gpu-0", Phase: "Attached", Node: "n"}, "gpu-1": {ID: "gpu-1", Phase: "Attached", Node: "n"}, "gpu-2": {ID: "gpu-2", Phase: "Free"},
		}}
		target := soak.Target{Client: fake.NewClientset(objects...), Namespace: "ns", Driver: "d"}
		fault := (&Soak{fabric: f}).Injections()[i]
		if err := fault.Do(t.Context(), target); err != nil {
			t.Errorf("%s: %v", fault.ID, err)
			continue
		}
		found := auditedFabric(t, target, f)
		if !slices.ContainsFunc(found, func(v audit.Violation) bool { return v.Rule == fault.Rule }) {
			t.Errorf("%s: found %v", fault.ID, found)
		}
		for _, v := range found {
			if v.Rule != fault.Rule && v.Rule != audit.LeftAttached && !v.Rule.Warning() {
				t.Errorf("%s: found %s, too", fault.ID, v)
			}
		}
	}
}

// auditedFabric returns the violations of the rules for fabrics and settled claims.
func auditedFabric(t *testing.T, target soak.Target, f *killedFabric) []audit.Violation {
	t.Helper()
	claims, err := target.Client.ResourceV1().ResourceClaims("ns").List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	published, err := target.Client.ResourceV1().ResourceSlices().List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	seen := audit.Fabric{Driver: "d", Devices: slices.Collect(maps.Values(f.devices)), Claims: claims.Items, Slices: published.Items}
	leaked := slices.DeleteFunc(audit.Settled(audit.World{Claims: claims.Items}), func(v audit.Violation) bool { return v.Rule != audit.LeakedClaim })
	return slices.Concat(audit.Attached(seen), audit.PublishedAttached(seen), leaked)
}
