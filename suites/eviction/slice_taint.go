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

package eviction

import (
	"time"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// event is the reason of events about pending evictions.
const event = "DeviceTaintManagerEviction"

// patience is the tolerated time: long enough to distinguish it from an ignored toleration, with event
// times in whole seconds.
const patience = 5 * time.Second

func broken(effect resourceapi.DeviceTaintEffect) resourceapi.DeviceTaint {
	return resourceapi.DeviceTaint{Key: "dra-conformance.github.io/broken", Effect: effect}
}

// SliceTaint taints the devices of three pods: without toleration, with tolerationSeconds, and
// tolerating forever. Evictions are reported by events.
var SliceTaint = harness.Case{Meta: spec.Meta{
	ID:       "eviction/slice-taint",
	Checks:   "A NoExecute taint in a ResourceSlice evicts pods after their tolerated seconds.",
	Requires: []spec.RequirementID{"kep-5055/evict-by-slice", "kep-5055/toleration-seconds"},
	Needs:    spec.Needs{Features: []spec.Feature{spec.DeviceTaints}, Profile: profiles.FourDevices()},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Create(
		objects.Claim("never", objects.Request("req", class)),
		objects.Tolerating(objects.Claim("some-time", objects.Request("req", class)), ptr.To(int64(patience.Seconds()))),
		objects.Tolerating(objects.Claim("always", objects.Request("req", class)), nil),
	)
	for _, name := range []string{"never", "some-time", "always"} {
		t.RunPod(objects.Pod(name, t.Image, name))
	}

	simdriver.Of(t).Publish(profiles.Tainted(profiles.FourDevices(), broken(resourceapi.DeviceTaintEffectNoExecute)))

	first := t.WaitEvent("never", event, "Marking for deletion")
	t.WaitPodGone("never")
	second := t.WaitEvent("some-time", event, "Marking for deletion")
	t.WaitPodGone("some-time")
	t.Expect(second.Sub(first)).To(gomega.BeNumerically(">=", patience-time.Second), "time between the deletions of pods never and some-time")
	always := t.WaitRunning("always")
	t.Expect(always.DeletionTimestamp).To(gomega.BeNil(), "deletion of the pod with the toleration")
	t.WaitDeallocated("never")
	t.Create(objects.Claim("late", objects.Request("req", class)), objects.Pod("late", t.Image, "late"))
	t.WaitUnschedulable("late", "cannot allocate all claims")
}}
