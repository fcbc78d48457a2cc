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
	"time"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// RuleVersions reads, writes and creates DeviceTaintRules in all versions of the API.
var RuleVersions = harness.Case{Meta: spec.Meta{
	ID:       "api/rule-versions",
	Checks:   "A DeviceTaintRule loses nothing when read and written in any served version.",
	Requires: []spec.RequirementID{"kep-4381/same-in-all-versions"},
	Needs:    spec.Needs{NoNode: true, Since: "1.37", APIs: []string{"v1beta2"}, Features: []spec.Feature{spec.DeviceTaintRules}},
}, Run: func(t *harness.T) {
	older := []string{"v1beta2"}
	if _, err := t.Client.Discovery().ServerResourcesForGroupVersion(group + "/v1alpha3"); err == nil {
		older = append(older, "v1alpha3")
	}
	added := metav1.NewTime(time.Date(2024, time.May, 1, 12, 0, 0, 0, time.UTC))
	taint := resourceapi.DeviceTaint{Key: "a.b/c", Value: "d", Effect: resourceapi.DeviceTaintEffectNone, TimeAdded: &added}
	for suffix, selector := range map[string]*resourceapi.DeviceTaintSelector{
		"all": {Driver: ptr.To(t.Namespace), Pool: ptr.To("pool/a"), Device: ptr.To("device")}, "any": {}, "no": nil,
	} {
		rule := objects.TaintRule(t.Namespace+"-"+suffix, t.Namespace, taint)
		rule.Spec.DeviceSelector = selector
		made := rule.DeepCopy()
		t.Create(rule)
		versioned{t, "devicetaintrules", rule, "spec", rule.Spec}.losesNothing(older...)
		made.Spec.Taint.TimeAdded = nil
		for _, version := range older {
			made.Name = rule.Name + "-" + version
			createAs(t, version, "DeviceTaintRule", made)
			stored, err := t.Client.ResourceV1().DeviceTaintRules().Get(t.Context(), made.Name, metav1.GetOptions{})
			t.NoError(err, "get rule %s", made.Name)
			t.Expect(stored.Spec.DeviceSelector).To(gomega.Equal(selector), "the selector of a rule created as %s", version)
			t.Expect(stored.Spec.Taint.TimeAdded).NotTo(gomega.BeNil(), "the time of the taint of a rule created as %s", version)
			t.Expect(stored.Generation).To(gomega.Equal(int64(1)), "the generation of a rule created as %s", version)
		}
	}
}}

// createAs creates an object, written in v1, in another version.
func createAs(t *harness.T, version, kind string, object runtime.Object) {
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	t.NoError(err, "encode the object")
	o := &unstructured.Unstructured{Object: fields}
	o.SetAPIVersion(group + "/" + version)
	o.SetKind(kind)
	t.Create(o)
}
