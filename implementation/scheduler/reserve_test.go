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

package scheduler

import (
	"slices"
	"strings"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/implementation/inventory"
)

type resourceGroup = schema.GroupResource

func poolOf(node string) inventory.PoolID { return inventory.PoolID{Driver: driver, Pool: node} }

func (r *run) wantNode(name string) {
	r.w.t.Helper()
	if r.node != name {
		r.w.t.Fatalf("pod %s: node %q, want %q; rejected: %v", r.pod.Name, r.node, name, r.rejected)
	}
}

// Another scheduler takes a device between Filter and Reserve.
func TestReserveChecksAgain(t *testing.T) {
	w := newWorld(t, small()...)
	r := w.find(using("pod", "one"))
	w.update("two", allocated("a"))
	if message := r.bind(); message != "" {
		t.Errorf("bind: %q", message)
	}
	if got := devicesOf(w.claim("one")); !slices.Equal(got, []string{"a/device-1"}) {
		t.Errorf("devices %v", got)
	}
	w.free("one", "two")
}

func TestReserveFindsNothingAnyMore(t *testing.T) {
	w := newWorld(t, small(asking("both", 2))...)
	r := w.find(using("pod", "both"))
	w.update("two", allocated("a"))
	message := r.bind()
	if !strings.Contains(message, "devices were taken in the meantime") || !strings.Contains(message, "wants 2 devices, 2 of the node's 2 match its selectors: 1 allocated") {
		t.Errorf("bind: %q", message)
	}
	if woken := w.handle.woken(); !slices.Equal(woken, []string{"ns/pod"}) {
		t.Errorf("woken: %v", woken)
	}
	w.free("two", "both")
}

// For a shared device only its capacity counts, and the allocation alone does not show how much is
// left.
func TestReserveChecksSharedCapacityAgain(t *testing.T) {
	shared := func(d *resourceapi.Device) {
		d.AllowMultipleAllocations = ptr.To(true)
		d.Capacity = map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{"memory": {Value: resource.MustParse("10Gi")}}
	}
	wanting := func(c *resourceapi.ResourceClaim) {
		c.Spec.Devices.Requests[0].Exactly.Capacity = &resourceapi.CapacityRequirements{
			Requests: map[resourceapi.QualifiedName]resource.Quantity{"memory": resource.MustParse("6Gi")},
		}
	}
	w := newWorld(t, node("a"), slice("a", 1, shared), class("class"), asking("one", 1, wanting), asking("two", 1, wanting))
	first, second := w.find(using("first", "one")), w.find(using("second", "two"))
	if message := first.bind(); message != "" {
		t.Fatal(message)
	}
	if message := second.bind(); !strings.Contains(message, "without enough capacity") {
		t.Errorf("bind: %q, want that capacity is missing", message)
	}
	w.free("one", "two")
}

func TestReservedDevicesAreInUse(t *testing.T) {
	w := newWorld(t, small(asking("both", 2))...)
	r := w.find(using("pod", "one"))
	if status := w.plugin.Reserve(w.ctx, r.cycle, r.pod, r.node); !status.IsSuccess() {
		t.Fatal(status)
	}
	w.find(using("greedy", "both")).wantRejected("cannot allocate all claims")
	w.find(using("sharing", "one")).wantRejected("resource claim ns/one is in the process of being allocated")
	w.plugin.Unreserve(w.ctx, r.cycle, r.pod, r.node)
	// No event announces the end of the pending allocation.
	if woken := w.handle.woken(); !slices.Equal(woken, []string{"ns/sharing"}) {
		t.Errorf("woken: %v", woken)
	}
	if hint, err := w.plugin.afterPodGone(w.logger(), using("greedy", "both"), r.pod, nil); err != nil || hint.String() != "Queue" {
		t.Errorf("hint for the end of the pod: %v %v", hint, err)
	}
	w.plugin.Unreserve(w.ctx, r.cycle, r.pod, r.node) // a second time: harmless
	w.schedule(using("greedy", "both"))
	w.free("one", "both")
}

func TestSlicesChangeBetweenFilterAndReserve(t *testing.T) {
	w := newWorld(t, small()...)
	r := w.find(using("pod", "one"))
	if err := w.client.ResourceV1().ResourceSlices().Delete(w.ctx, "slice-a", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	w.until("slice is gone", func() bool { slices, _ := w.manager.ListWithDeviceTaintRules(); return len(slices) == 0 })
	// As upstream, Filter's decision counts. The driver may still refuse.
	if message := r.bind(); message != "" {
		t.Errorf("bind: %s", message)
	}
	w.find(using("other", "two")).wantRejected("cannot allocate all claims")
}

func TestClassDeletedMidFlight(t *testing.T) {
	w := newWorld(t, small()...)
	r := w.find(using("pod", "one"))
	if err := w.client.ResourceV1().DeviceClasses().Delete(w.ctx, "class", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	w.until("class is gone", func() bool { _, err := w.manager.DeviceClasses().Get("class"); return err != nil })
	if message := r.bind(); message != "" {
		t.Errorf("bind: %s", message)
	}
	w.find(using("other", "two")).wantRejected("request request: device class class does not exist")
}

func TestDeletedClaimFreesItsDevices(t *testing.T) {
	w := newWorld(t, small(asking("both", 2), asking("old", 1, allocated("a")))...)
	w.find(using("greedy", "both")).wantRejected("cannot allocate all claims")
	w.delete("old")
	w.create(asking("old", 1, func(c *resourceapi.ResourceClaim) { c.UID = "another" }))
	w.schedule(using("greedy", "both"))
	w.find(using("pod", "old")).wantRejected("most matching devices are allocated")
}
