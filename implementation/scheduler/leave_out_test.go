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
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
)

// Another plugin's claim is unsatisfiable here and precedes a satisfiable one.
func TestClaimsOfAnotherPluginAreLeftOut(t *testing.T) {
	theirs := asking("theirs", 1, func(c *resourceapi.ResourceClaim) { c.Spec.Devices.Requests[0].Exactly.DeviceClassName = "none" })
	ours := asking("ours", 1)
	none := class("none", func(c *resourceapi.DeviceClass) {
		c.Spec.Selectors = []resourceapi.DeviceSelector{{CEL: &resourceapi.CELDeviceSelector{Expression: "false"}}}
	})
	w := newWorld(t, node("a"), slice("a", 1), class("class"), none, theirs, ours)
	w.find(using("pod", "theirs", "ours")).wantRejected("cannot allocate all claims")

	r := &run{w: w, pod: using("pod", "theirs", "ours"), cycle: &testCycle{data: map[fwkKey]fwkData{}}, node: "a"}
	if err := LeaveOut(r.cycle, sets.New[types.UID](theirs.UID)); err != nil {
		t.Fatal(err)
	}
	if _, status := w.plugin.PreFilter(w.ctx, r.cycle, r.pod, nil); !status.IsSuccess() {
		t.Fatalf("PreFilter: %v", status)
	}
	if status := w.plugin.Filter(w.ctx, r.cycle, r.pod, testNode{node: w.nodes[0]}); !status.IsSuccess() {
		t.Fatalf("Filter: %v", status)
	}
	if message := r.bind(); message != "" {
		t.Fatalf("bind: %s", message)
	}
	if w.claim("ours").Status.Allocation == nil || len(w.claim("ours").Status.ReservedFor) != 1 {
		t.Errorf("our claim: %v", w.claim("ours").Status)
	}
	if status := w.claim("theirs").Status; status.Allocation != nil || len(status.ReservedFor) > 0 {
		t.Errorf("their claim: %v", status)
	}
	if err := LeaveOut(r.cycle, nil); err == nil {
		t.Error("claims are left out that the plugin has looked at")
	}
}
