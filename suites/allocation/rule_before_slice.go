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

package allocation

import (
	"time"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/harness/scheduler"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// RuleBeforeSlice has a driver publish devices already tainted by an administrator: in a new slice, added to a slice,
// and in a recreated slice, like that of a restarted driver.
var RuleBeforeSlice = harness.Case{Meta: spec.Meta{
	ID:       "allocation/rule-before-slice",
	Checks:   "A DeviceTaintRule also applies to devices the driver publishes later, until the rule is deleted.",
	Requires: []spec.RequirementID{"kep-5055/rule-like-slice", "kep-5055/rule-for-later-devices"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.DeviceTaints, spec.DeviceTaintRules}},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	// Times are whole seconds: slice and rule can have the same.
	taint := resourceapi.DeviceTaint{
		Key: "example.com/taint", Effect: resourceapi.DeviceTaintEffectNoSchedule, TimeAdded: &metav1.Time{Time: time.Now().Add(-time.Hour)},
	}
	rule := objects.TaintRule(t.DriverName(), t.DriverName(), taint)
	t.Create(rule)
	scheduler.AwaitRulesSeen(t)
	request := func() resourceapi.DeviceRequest { return objects.Request("req", class) }
	tolerant := func(name string) *resourceapi.ResourceClaim {
		claim := objects.Claim(name, request())
		claim.Spec.Devices.Requests[0].Exactly.Tolerations = []resourceapi.DeviceToleration{{Key: "example.com/taint", Operator: resourceapi.DeviceTolerationOpExists}}
		return claim
	}

	slice := t.Publish("pool", t.Nodes[0], profiles.Device(0, "a", "8Gi"))
	scheduler.AwaitSeen(t)
	wait(t, objects.Claim("new-slice", request()))
	t.Expect(use(t, tolerant("first"))).To(matchers.HaveDevices("device-0"), "device of the new slice")

	edit.Slice(t, slice.Name, func(s *resourceapi.ResourceSlice) {
		s.Spec.Devices = append(s.Spec.Devices, profiles.Device(1, "a", "8Gi"))
	})
	scheduler.AwaitSeen(t)
	wait(t, objects.Claim("new-device", request()))
	t.Expect(use(t, tolerant("second"))).To(matchers.HaveDevices("device-1"), "added device")

	release(t, "first")
	release(t, "second")
	t.Delete(slice)
	t.Publish("pool", t.Nodes[0], profiles.Device(0, "a", "8Gi"), profiles.Device(1, "a", "8Gi"))
	scheduler.AwaitSeen(t)
	wait(t, objects.Claim("slice-again", request()))
	for _, name := range []string{"new-slice", "new-device"} {
		waiting := t.PodNow(name)
		t.Expect(waiting.Spec.NodeName).To(gomega.BeEmpty(), "node of pod %s without the toleration", name)
	}
	t.Expect(use(t, tolerant("third"))).To(matchers.HaveDevices("device-0"), "device of the recreated slice")
	release(t, "third")

	t.RemovePod("slice-again")
	t.Delete(rule)
	used(t, "new-slice")
	used(t, "new-device")
}}
