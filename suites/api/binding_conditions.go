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

package api

import (
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// BindingConditions writes devices with binding conditions, also by updating a valid slice.
var BindingConditions = harness.Case{Meta: spec.Meta{
	ID:     "api/binding-conditions",
	Checks: "A device has at most 4 valid, different conditions of each binding kind, and both kinds or none; others are rejected.",
	Requires: []spec.RequirementID{
		"kep-5007/conditions-in-slice", "kep-5007/conditions-4", "kep-5007/condition-type-format", "kep-5007/slice-says-binds-to-node",
	},
	Needs: spec.Needs{NoNode: true, Features: []spec.Feature{spec.BindingConditions}},
}, Run: func(t *harness.T) {
	ready, failed := []string{"example.com/ready", "attached"}, []string{"example.com/failed"}
	judgeSlices(t, validSlice, conditionRules("spec.devices[0]", func(ready, failed []string) func(*resourceapi.ResourceSlice) {
		return onDevice(func(d *resourceapi.Device) { d.BindingConditions, d.BindingFailureConditions = ready, failed })
	})...)

	device := resourceapi.Device{Name: "device", BindingConditions: ready, BindingFailureConditions: failed, BindsToNode: ptr.To(true)}
	t.Create(objects.NetworkSlice(t.Namespace, driver, "pool", device))
	stored, err := t.Client.ResourceV1().ResourceSlices().Get(t.Context(), t.Namespace, metav1.GetOptions{})
	t.NoError(err, "get the slice")
	t.Expect(stored.Spec.Devices).To(gomega.Equal([]resourceapi.Device{device}), "the stored devices")
}}

// conditionRules are the rules for the conditions in a field of the device, set by with.
func conditionRules[O any](device string, with func(ready, failed []string) func(O)) []rule[O] {
	ready, failed := []string{"example.com/ready", "attached"}, []string{"example.com/failed"}
	several := func(n int) []string { return numbered(n, func(i int) string { return name("condition", i) }) }
	one := func(condition string) func(O) { return with([]string{condition}, failed) }
	failing := func(condition string) func(O) { return with(ready, []string{condition}) }
	field, failure := device+".bindingConditions", device+".bindingFailureConditions"
	return []rule[O]{
		{"five binding conditions", with(several(4), failed), with(several(5), failed), field, tooMany},
		{"five binding failure conditions", with(ready, several(4)), with(ready, several(5)), failure, tooMany},
		{"a condition without a name", one("r"), one(""), field + "[0]", invalid},
		{"a condition with a blank", one("is-ready"), one("is ready"), field + "[0]", invalid},
		{"a condition with two slashes", one("a/b"), one("a/b/c"), field + "[0]", invalid},
		{"a condition of 64 characters", one(characters(63)), one(characters(64)), field + "[0]", invalid},
		{"a failure condition with a blank", failing("has-failed"), failing("has failed"), failure + "[0]", invalid},
		{"a failure condition of 64 characters", failing(characters(63)), failing(characters(64)), failure + "[0]", invalid},
		{"a condition twice", with([]string{"a", "b"}, failed), with([]string{"a", "a"}, failed), field + "[1]", duplicate},
		{"a failure condition twice", with(ready, []string{"a", "b"}), with(ready, []string{"a", "a"}), failure + "[1]", duplicate},
		{"a condition also used as a failure condition", with(ready, []string{"a"}), with(ready, ready[:1]), failure + "[0]", invalid},
		{"conditions without those of failure", with(ready, failed), with(ready, nil), failure, invalid},
		{"conditions of failure without others", with(ready, failed), with(nil, failed), field, invalid},
	}
}
