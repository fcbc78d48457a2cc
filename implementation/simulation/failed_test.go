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

package simulation

import (
	"strings"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"
)

// modelLess has no model on its first device: a selector reading it fails, and so do attempts while
// this device is free.
func modelLess(_ int, d *resourceapi.Device) {
	if d.Name != "dev-0" {
		d.Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"model": {StringValue: ptr.To("a")}}
	}
}

// A failed attempt counted as the last one, and the pod as unschedulable. The scheduler retries it and
// places it once another pod has the failing device. Problem 59143 of seed 23 had a claim for all
// devices with a constraint.
func TestPodWhoseAttemptFailedIsTriedAgain(t *testing.T) {
	s := world().withNode(node("a"), slice("a", 2, each(modelLess))).withPods(1, ofModelA).withPods(1, one).simulate(t)
	pods := s.Pending()
	placements, err := s.Place(t.Context(), pods)
	if err != nil || devicesOf(placements[0]) != "a/dev-1 " || devicesOf(placements[1]) != "a/dev-0 " {
		t.Errorf("%+v and error %v", placements, err)
	}
	alone := world().withNode(node("a"), slice("a", 2, each(modelLess))).withPods(2, ofModelA).simulate(t)
	placements, err = alone.Place(t.Context(), alone.Pending())
	if err != nil || placements[0].Node != "" || placements[1].Node != "" || !strings.Contains(placements[0].Reason, "no such key") {
		t.Errorf("nobody takes the device: %+v and error %v", placements, err)
	}
}

// The same for several equal pods on new nodes.
func TestGrowTriesPodsAgainWhoseAttemptFailed(t *testing.T) {
	w := world().withPods(2, ofModelA).withPods(2, one)
	growth := grow(t, w, group("g", 4, each(modelLess)))
	if growth.Counts[0] != 1 || len(growth.Unserved()) > 0 {
		t.Errorf("%+v", growth)
	}
}
