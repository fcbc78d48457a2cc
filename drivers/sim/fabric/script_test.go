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
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/spec"
)

var start = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func onNode(name string) *corev1.NodeSelector {
	return &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchFields: []corev1.NodeSelectorRequirement{{
		Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{name},
	}}}}}
}

// waiting is a claim with device-0 of the driver, awaited by the scheduler, and a device of another driver.
func waiting(change func(*resourceapi.ResourceClaim)) *resourceapi.ResourceClaim {
	conditions, failures := []string{"attached", "configured"}, []string{"failed"}
	claim := &resourceapi.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "claim", UID: "uid"},
		Status: resourceapi.ResourceClaimStatus{Allocation: &resourceapi.AllocationResult{
			NodeSelector: onNode("node-1"),
			Devices: resourceapi.DeviceAllocationResult{Results: []resourceapi.DeviceRequestAllocationResult{
				{Driver: "other", Pool: "p", Device: "device-9", BindingConditions: conditions},
				{Driver: "sim", Pool: "p", Device: "device-0", BindingConditions: conditions, BindingFailureConditions: failures},
			}},
		}},
	}
	if change != nil {
		change(claim)
	}
	return claim
}

func set(types ...string) []resourceapi.AllocatedDeviceStatus {
	status := resourceapi.AllocatedDeviceStatus{Driver: "sim", Pool: "p", Device: "device-0"}
	for _, t := range types {
		status.Conditions = append(status.Conditions, metav1.Condition{Type: t, Status: metav1.ConditionTrue})
	}
	return []resourceapi.AllocatedDeviceStatus{status}
}

func TestNext(t *testing.T) {
	say := func(conditions ...spec.FabricCondition) []spec.FabricCondition { return conditions }
	attached, later := spec.FabricCondition{Type: "attached"}, spec.FabricCondition{Type: "configured", Delay: 7 * time.Second}
	for _, tc := range []struct {
		name   string
		script []spec.FabricCondition
		claim  *resourceapi.ResourceClaim
		after  time.Duration
		want   []string // types of the conditions of device-0 afterwards
		wait   time.Duration
	}{
		{"silent", nil, waiting(nil), 0, nil, 0},
		{"at once", say(attached), waiting(nil), 0, []string{"attached"}, 0},
		{"failure", say(spec.FabricCondition{Type: "failed"}), waiting(nil), 0, []string{"failed"}, 0},
		{"one later", say(attached, later), waiting(nil), time.Second, []string{"attached"}, 6 * time.Second},
		{"both by now", say(attached, later), waiting(nil), 7 * time.Second, []string{"attached", "configured"}, 0},
		{"not again", say(attached), waiting(func(c *resourceapi.ResourceClaim) { c.Status.Devices = set("attached") }), 0, nil, 0},
		{"beside what is there", say(attached), waiting(func(c *resourceapi.ResourceClaim) { c.Status.Devices = set("configured") }), 0, []string{"configured", "attached"}, 0},
		{"since the allocation", say(later), waiting(func(c *resourceapi.ResourceClaim) {
			c.Status.Allocation.AllocationTimestamp = &metav1.Time{Time: start.Add(2 * time.Second)}
		}), 8 * time.Second, nil, time.Second},
		{"condition that nobody awaits", say(spec.FabricCondition{Type: "unknown"}), waiting(nil), 0, nil, 0},
		{"other claim", say(spec.FabricCondition{Type: "attached", Claim: "other"}), waiting(nil), 0, nil, 0},
		{"not allocated", say(attached), waiting(func(c *resourceapi.ResourceClaim) { c.Status.Allocation = nil }), 0, nil, 0},
		{"other node", say(attached), waiting(func(c *resourceapi.ResourceClaim) { c.Status.Allocation.NodeSelector = onNode("node-2") }), 0, nil, 0},
		{"any node", say(attached), waiting(func(c *resourceapi.ResourceClaim) { c.Status.Allocation.NodeSelector = nil }), 0, nil, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			before := tc.claim.DeepCopy()
			script := Script{Driver: "sim", Node: "node-1", Received: start, Conditions: tc.script}
			devices, news, wait := script.Next(tc.claim, start.Add(tc.after))
			var got []string
			for _, d := range devices {
				for _, c := range d.Conditions {
					got = append(got, c.Type)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" || wait != tc.wait || len(devices) > 1 {
				t.Errorf("conditions (-want +got), wait %s, want %s:\n%s", wait, tc.wait, diff)
			}
			if (len(news) == 0) != (tc.want == nil) {
				t.Errorf("reported as new: %v", news)
			}
			if diff := cmp.Diff(before, tc.claim); diff != "" {
				t.Errorf("the claim was changed:\n%s", diff)
			}
		})
	}
}
