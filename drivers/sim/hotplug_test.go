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

package sim

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	hardware "github.com/dra-conformance/dratest/drivers/fabric"
	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/spec"
)

// pluggedNode is a node with one device of its own and others from a fabric.
type pluggedNode struct {
	// fabric is nil while the fabric does not answer.
	fabric  *atomic.Pointer[hardware.Inventory]
	kubelet *kubelet
	agent   *Agent
	client  *fake.Clientset
}

func newPluggedNode(t *testing.T) pluggedNode {
	t.Helper()
	root := shortDir(t)
	kubelet := startKubelet(t, root)
	agent, client := newAgent(t, root, allocated("own", "device-0"), allocated("c", "gpu-0"), allocated("other", "gpu-1"))
	return pluggedNode{&atomic.Pointer[hardware.Inventory]{}, kubelet, agent, client}
}

// run runs a driver until stop is called, at the latest until the test ends.
func (n pluggedNode) run(t *testing.T) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	s := Standalone{Hotplug: Hotplug{Fabric: "f", Rescan: 10 * time.Millisecond, Inventory: func(context.Context) (hardware.Inventory, error) {
		if inventory := n.fabric.Load(); inventory != nil {
			return *inventory, nil
		}
		return hardware.Inventory{}, errors.New("no answer")
	}}}
	before := n.kubelet.registrations()
	go func() {
		ended <- s.Run(ctx, n.agent.config, spec.DriverConfig{Name: driver, Profile: profiles.Devices(1)})
	}()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	eventually(t, "registered", func() bool { return n.kubelet.registrations() > before })
	return stop
}

// plugged runs a driver with one device of its own and others from a fabric.
func plugged(t *testing.T) (fabric *atomic.Pointer[hardware.Inventory], kubelet *kubelet, devices func() []string) {
	t.Helper()
	n := newPluggedNode(t)
	n.run(t)
	return n.fabric, n.kubelet, func() []string { return published(t, n.client) }
}

func at(id, on string, phase hardware.Phase) hardware.Device {
	return hardware.Device{ID: id, Model: "gpu", Phase: phase, Node: on}
}

func TestAttachedDevicesArePublishedAndPrepared(t *testing.T) {
	fabric, kubelet, devices := plugged(t)
	fabric.Store(&hardware.Inventory{Devices: []hardware.Device{
		at("gpu-0", node, hardware.Attached), at("gpu-1", "other", hardware.Attached), at("gpu-2", node, hardware.Attaching), at("gpu-3", node, hardware.Dead)}})
	want := []string{"device-0", "gpu-0"}
	eventually(t, "what is attached to the node is published", func() bool { return cmp.Equal(want, devices()) })
	for _, name := range []string{"own:device-0", "c:gpu-0"} {
		claim, device, _ := strings.Cut(name, ":")
		if answer := kubelet.prepare(t, allocated(claim, device)); answer.GetError() != "" || len(answer.GetDevices()) != 1 {
			t.Errorf("prepare of %s answered %v", name, answer)
		}
	}
	if answer := kubelet.prepare(t, allocated("other", "gpu-1")); !strings.Contains(answer.GetError(), "device "+filepath.Join(node, "gpu-1")+" is not attached to node "+node) {
		t.Errorf("prepare of another node's device answered %v", answer)
	}
}

// A claim selects by the attributes of the model's slots: it could not be allocated the local device of a driver
// omitting them, and its pod was never scheduled. They stay through a restart with the fabric unavailable.
func TestAttachedDevicesAreDescribedAsTheFabricDoes(t *testing.T) {
	n := newPluggedNode(t)
	n.fabric.Store(&hardware.Inventory{
		Models:  []hardware.Model{{Name: "gpu", Attributes: map[string]string{"use": "plain"}}, {Name: "other", Attributes: map[string]string{"use": "special"}}},
		Devices: []hardware.Device{at("gpu-0", node, hardware.Attached)},
	})
	described := func() map[resourceapi.QualifiedName]string {
		list, err := n.client.ResourceV1().ResourceSlices().List(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		found := map[resourceapi.QualifiedName]string{}
		for _, slice := range list.Items {
			for _, d := range slice.Spec.Devices {
				for name, a := range d.Attributes {
					if d.Name == "gpu-0" {
						found[name] = *a.StringValue
					}
				}
			}
		}
		return found
	}
	want := map[resourceapi.QualifiedName]string{"model": "gpu", "use": "plain", fabricAttribute: "f"}
	stop := n.run(t)
	eventually(t, "described", func() bool { return cmp.Equal(want, described()) })
	stop()
	n.fabric.Store(nil)
	n.run(t)
	if d := cmp.Diff(want, described()); d != "" {
		t.Errorf("after a restart (-want +got):\n%s", d)
	}
}

// A device detached since it was published is rejected and withdrawn; the node's own devices stay.
func TestDetachedDeviceIsRefused(t *testing.T) {
	fabric, kubelet, devices := plugged(t)
	fabric.Store(&hardware.Inventory{Devices: []hardware.Device{at("gpu-0", node, hardware.Attached)}})
	eventually(t, "published", func() bool { return len(devices()) == 2 })
	fabric.Store(&hardware.Inventory{Devices: []hardware.Device{at("gpu-0", node, hardware.Detaching)}})
	if answer := kubelet.prepare(t, allocated("c", "gpu-0")); !strings.Contains(answer.GetError(), "is not attached") {
		t.Errorf("prepare answered %v", answer)
	}
	eventually(t, "published no more", func() bool { return cmp.Equal([]string{"device-0"}, devices()) })
}

// With the fabric unavailable its devices stay published, and preparing one is retried.
func TestFabricThatIsAwayTakesNothingAway(t *testing.T) {
	fabric, kubelet, devices := plugged(t)
	fabric.Store(&hardware.Inventory{Devices: []hardware.Device{at("gpu-0", node, hardware.Attached)}})
	eventually(t, "published", func() bool { return len(devices()) == 2 })
	fabric.Store(nil)
	if answer := kubelet.prepare(t, allocated("c", "gpu-0")); !strings.Contains(answer.GetError(), "no answer") {
		t.Errorf("prepare answered %v", answer)
	}
	if answer := kubelet.prepare(t, allocated("own", "device-0")); answer.GetError() != "" {
		t.Errorf("prepare of the node's own device answered %v", answer)
	}
	if got := devices(); len(got) != 2 {
		t.Errorf("published %v", got)
	}
}

// A driver restarted with the fabric unavailable withdrew the devices published by the previous process, including
// those in use. It must also not keep detached devices once the fabric is back.
func TestRestartWhileTheFabricIsAwayTakesNothingAway(t *testing.T) {
	n := newPluggedNode(t)
	n.fabric.Store(&hardware.Inventory{Devices: []hardware.Device{at("gpu-0", node, hardware.Attached)}})
	stop := n.run(t)
	want := []string{"device-0", "gpu-0"}
	eventually(t, "published", func() bool { return cmp.Equal(want, published(t, n.client)) })
	stop()

	n.fabric.Store(nil)
	n.client.ClearActions()
	stop = n.run(t)
	if answer := n.kubelet.prepare(t, allocated("c", "gpu-0")); !strings.Contains(answer.GetError(), "no answer") {
		t.Errorf("prepare answered %v", answer)
	}
	stop()
	for _, a := range n.client.Actions() {
		if a.GetResource().Resource == "resourceslices" && !slices.Contains([]string{"list", "get", "watch"}, a.GetVerb()) {
			t.Errorf("slices were changed by the restart: %v", a)
		}
	}
	if d := cmp.Diff(want, published(t, n.client)); d != "" {
		t.Errorf("devices (-want +got):\n%s", d)
	}

	n.fabric.Store(&hardware.Inventory{})
	n.run(t)
	eventually(t, "what has gone is published no more", func() bool { return cmp.Equal([]string{"device-0"}, published(t, n.client)) })
}

// The kubelet may register a restarted driver, and trigger publishing, before the driver has a profile.
func TestNothingIsWithdrawnBeforeTheDriverHasAProfile(t *testing.T) {
	root := shortDir(t)
	agent, client := newAgent(t, root)
	before := publisher{agent: agent.config, driver: driver}
	if err := before.set(t.Context(), profiles.Devices(1)); err != nil {
		t.Fatal(err)
	}
	after := publisher{agent: agent.config, driver: driver}
	if err := after.repair(t.Context()); err != nil {
		t.Error(err)
	}
	if d := cmp.Diff([]string{"device-0"}, published(t, client)); d != "" {
		t.Errorf("devices (-want +got):\n%s", d)
	}
}

// Checks for broken devices do not drop devices attached after the start.
func TestDeviceThatCameLaterIsPreparedAfterACheckup(t *testing.T) {
	n := newPluggedNode(t)
	n.fabric.Store(&hardware.Inventory{})
	n.run(t)
	n.fabric.Store(&hardware.Inventory{Devices: []hardware.Device{at("gpu-0", node, hardware.Attached)}})
	eventually(t, "published", func() bool { return len(published(t, n.client)) == 2 })
	<-time.After(checkup + checkup/10)
	if answer := n.kubelet.prepare(t, allocated("c", "gpu-0")); answer.GetError() != "" || len(answer.GetDevices()) != 1 {
		t.Errorf("prepare answered %v", answer)
	}
}

func TestHotplugWithoutAName(t *testing.T) {
	err := Standalone{Hotplug: Hotplug{Inventory: func(context.Context) (hardware.Inventory, error) { return hardware.Inventory{}, nil }}}.
		Run(t.Context(), Config{}, spec.DriverConfig{})
	if err == nil || !strings.Contains(err.Error(), "the fabric's name") {
		t.Errorf("got %v", err)
	}
}
