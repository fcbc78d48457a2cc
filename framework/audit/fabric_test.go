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

package audit_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/audit"
	"github.com/dra-conformance/dratest/framework/spec"
)

const (
	attachedCondition = "dra-conformance.github.io/attached"
	keyOfC            = "uid-c/2030-01-01T00:00:00Z/fabric/gpu/free-0"
)

// withSlot is a claim in use with its slot attached as device gpu-0 on node n.
func withSlot(name, key string) resourceapi.ResourceClaim {
	c := claim(name, "p", resourceapi.DeviceRequestAllocationResult{
		Request: "r", Driver: "d", Pool: "fabric/gpu", Device: "free-0", BindingConditions: []string{attachedCondition}})
	c.Status.Allocation.AllocationTimestamp = ptr.To(metav1.NewTime(time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)))
	c.Status.Devices = []resourceapi.AllocatedDeviceStatus{{
		Driver: "d", Pool: "fabric/gpu", Device: "free-0", Conditions: []metav1.Condition{{Type: attachedCondition, Status: metav1.ConditionTrue}},
		Data: &runtime.RawExtension{Raw: fmt.Appendf(nil, `{"key": %q, "node": "n", "device": "gpu-0"}`, key)},
	}}
	return c
}

func publishedOn(node, device string) resourceapi.ResourceSlice {
	return resourceapi.ResourceSlice{ObjectMeta: meta("local-" + node), Spec: resourceapi.ResourceSliceSpec{
		Driver: "d", NodeName: ptr.To(node), Pool: resourceapi.ResourcePool{Name: node}, Devices: []resourceapi.Device{{Name: device}}}}
}

// goodFabric has gpu-0 attached for claim c, gpu-1 as a local device of claim l on node n, gpu-2 free and gpu-3 in
// another cluster.
func goodFabric() audit.Fabric {
	return audit.Fabric{
		Driver: "d",
		Devices: []spec.FabricDevice{
			{ID: "gpu-0", Phase: "Attached", Node: "n", Key: keyOfC}, {ID: "gpu-1", Phase: "Attached", Node: "n", Key: "earlier"},
			{ID: "gpu-2", Phase: "Free"}, {ID: "gpu-3", Phase: "Attached", Node: "other", Key: "theirs", Elsewhere: true},
		},
		Claims: []resourceapi.ResourceClaim{withSlot("c", keyOfC), claim("l", "q", device("gpu-1")), free("f")},
		Slices: []resourceapi.ResourceSlice{publishedOn("n", "gpu-1")},
	}
}

func TestFabricRules(t *testing.T) {
	phase := func(i int, phase, node string) func(*audit.Fabric) {
		return func(f *audit.Fabric) { f.Devices[i].Phase, f.Devices[i].Node = phase, node }
	}
	for _, tc := range []struct {
		name    string
		change  func(*audit.Fabric)
		always  []string
		settled []string
	}{
		{name: "good", change: func(*audit.Fabric) {}},
		{name: "died where it is", change: phase(0, "Dead", "n")},
		{name: "detached in use", change: phase(0, "Free", ""), always: []string{"detached-in-use gpu-0"}},
		{name: "being detached in use", change: phase(0, "Detaching", "n"), always: []string{"detached-in-use gpu-0"}},
		{name: "a local one detached in use", change: phase(1, "Detaching", "n"), always: []string{"detached-in-use gpu-1"},
			settled: []string{"published-unattached gpu-1"}},
		{name: "vanished", change: func(f *audit.Fabric) { f.Devices = f.Devices[1:] }, always: []string{"detached-in-use gpu-0"}},
		{name: "another cluster's", change: func(f *audit.Fabric) { f.Devices[0].Elsewhere = true }, always: []string{"detached-in-use gpu-0"}},
		{name: "attached again for somebody else", change: func(f *audit.Fabric) { f.Devices[0].Key = "later" },
			always: []string{"detached-in-use gpu-0"}},
		{name: "on another node", change: phase(0, "Attached", "m"), always: []string{"attached-twice gpu-0"}},
		{name: "on two nodes, as two fabrics say",
			change: func(f *audit.Fabric) {
				f.Devices = append(f.Devices, spec.FabricDevice{ID: "gpu-3", Phase: "Attached", Node: "n", Elsewhere: true})
			}, always: []string{"attached-twice gpu-3"}},
		{name: "two claims have it", change: func(f *audit.Fabric) { f.Claims = append(f.Claims, withSlot("d", "uid-d"+keyOfC[5:])) },
			always: []string{"detached-in-use gpu-0", "had-by-two gpu-0"}},
		{name: "two claims have a local one", change: func(f *audit.Fabric) { f.Claims = append(f.Claims, claim("m", "r", device("gpu-1"))) },
			always: []string{"had-by-two gpu-1"}},
		{name: "one claim has it by its slot, another one as local", change: func(f *audit.Fabric) {
			f.Claims = append(f.Claims, claim("m", "r", device("gpu-0")))
			f.Slices[0].Spec.Devices = append(f.Slices[0].Spec.Devices, resourceapi.Device{Name: "gpu-0"})
		}, always: []string{"had-by-two gpu-0"}},
		{name: "two claims have it, one of them unused", change: func(f *audit.Fabric) {
			unused := claim("m", "r", device("gpu-1"))
			unused.Status.ReservedFor = nil
			f.Claims = append(f.Claims, unused)
		}},
		{name: "published where it is not", change: func(f *audit.Fabric) { f.Slices = append(f.Slices, publishedOn("m", "gpu-0")) },
			settled: []string{"published-unattached gpu-0"}},
		{name: "published although it is free", change: func(f *audit.Fabric) { f.Slices = append(f.Slices, publishedOn("n", "gpu-2")) },
			settled: []string{"published-unattached gpu-2"}},
		{name: "published although it is another cluster's", change: func(f *audit.Fabric) { f.Slices = append(f.Slices, publishedOn("other", "gpu-3")) },
			settled: []string{"published-unattached gpu-3"}},
		{name: "devices of the node's own", change: func(f *audit.Fabric) { f.Slices = append(f.Slices, publishedOn("m", "device-0")) }},
		{name: "published by another driver", change: func(f *audit.Fabric) {
			other := publishedOn("m", "gpu-0")
			other.Spec.Driver = "e"
			f.Slices = append(f.Slices, other)
		}},
		{name: "told for an earlier allocation", change: func(f *audit.Fabric) {
			f.Claims[0] = withSlot("c", "uid-c/2029-01-01T00:00:00Z/fabric/gpu/free-0")
			f.Devices[0].Phase = "Attaching"
		}},
		{name: "bound with its device", change: func(f *audit.Fabric) { f.Pods = []corev1.Pod{pod("p", "c")} }},
		{name: "bound before it is attached", change: func(f *audit.Fabric) {
			f.Pods, f.Claims[0].Status.Devices = []corev1.Pod{pod("p", "c")}, nil
		}, always: []string{"bound-unattached "}},
		{name: "bound with what was told for an earlier allocation", change: func(f *audit.Fabric) {
			f.Pods, f.Claims[0] = []corev1.Pod{pod("p", "c")}, withSlot("c", "uid-c/2029-01-01T00:00:00Z/fabric/gpu/free-0")
		}, always: []string{"bound-unattached "}},
		{name: "waits for its device", change: func(f *audit.Fabric) {
			waits := pod("p", "c")
			waits.Spec.NodeName = ""
			f.Pods, f.Claims[0].Status.Devices = []corev1.Pod{waits}, nil
		}},
		{name: "nobody uses it", change: func(f *audit.Fabric) { f.Claims[0].Status.ReservedFor = nil; f.Devices[0].Phase = "Detaching" }},
		{name: "for nobody", change: func(f *audit.Fabric) { f.Claims = f.Claims[1:] }, settled: []string{"left-attached gpu-0"}},
		{name: "on its way for nobody", change: phase(2, "Attaching", "n"), settled: []string{"left-attached gpu-2"}},
		{name: "dead, and detached", change: phase(2, "Dead", "")},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := goodFabric()
			tc.change(&f)
			if diff := cmp.Diff(tc.always, rulesOf(audit.Attached(f))); diff != "" {
				t.Errorf("always: %s", diff)
			}
			if diff := cmp.Diff(tc.settled, rulesOf(append(audit.AttachedForNobody(f), audit.PublishedAttached(f)...))); diff != "" {
				t.Errorf("settled: %s", diff)
			}
		})
	}
}

// A manually detached device is reported as free, not as attached for nobody.
func TestFabricRulesSayWhatTheDeviceIs(t *testing.T) {
	f := goodFabric()
	f.Devices[0] = spec.FabricDevice{ID: "gpu-0", Phase: "Free"}
	const want = `claim ns/c is in use and has device gpu-0 of the fabric: it is Free, on node ""`
	if found := audit.Attached(f); len(found) != 1 || found[0].Text != want {
		t.Errorf("found %v", found)
	}
}

func TestUsesOfAFabric(t *testing.T) {
	want := []audit.FabricUse{{Claim: "uid-c", Device: "gpu-0"}, {Claim: "uid-l", Device: "gpu-1", Local: true}}
	if diff := cmp.Diff(want, audit.FabricUses(goodFabric())); diff != "" {
		t.Error(diff)
	}
}

func rulesOf(found []audit.Violation) []string {
	var all []string
	for _, v := range found {
		all = append(all, string(v.Rule)+" "+v.Subject)
	}
	return all
}
