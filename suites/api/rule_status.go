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
	gomegatypes "github.com/onsi/gomega/types"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// RuleStatus writes a DeviceTaintRule like users do, and its status like the controller.
var RuleStatus = harness.Case{Meta: spec.Meta{
	ID:       "api/rule-status",
	Checks:   "The status of a DeviceTaintRule is written separately from its spec, and only the spec raises its generation.",
	Requires: []spec.RequirementID{"kep-5055/rule-status-separate", "kep-5055/rule-generation"},
	Needs:    spec.Needs{NoNode: true, Since: "1.37", Features: []spec.Feature{spec.DeviceTaintRules}},
}, Run: func(t *harness.T) {
	client := t.Client.ResourceV1().DeviceTaintRules()
	reported := func(r *resourceapi.DeviceTaintRule) { meta.SetStatusCondition(&r.Status.Conditions, condition(0)) }
	rule := objects.TaintRule(t.Namespace, t.Namespace, resourceapi.DeviceTaint{Key: "key", Effect: resourceapi.DeviceTaintEffectNone}) // of a driver that is not there
	rule.Generation = 7
	reported(rule)
	t.Create(rule)
	type writer func(r *resourceapi.DeviceTaintRule) (*resourceapi.DeviceTaintRule, error)
	put := writer(func(r *resourceapi.DeviceTaintRule) (*resourceapi.DeviceTaintRule, error) {
		return client.Update(t.Context(), r, metav1.UpdateOptions{})
	})
	putStatus := writer(func(r *resourceapi.DeviceTaintRule) (*resourceapi.DeviceTaintRule, error) {
		return client.UpdateStatus(t.Context(), r, metav1.UpdateOptions{})
	})
	expect := func(what string, write writer, change func(*resourceapi.DeviceTaintRule), key string, generation int64, has gomegatypes.GomegaMatcher) {
		t.Step("%s", what)
		var now *resourceapi.DeviceTaintRule
		// The controller writes the status, too.
		err := retry.RetryOnConflict(retry.DefaultRetry, func() (err error) {
			if now, err = client.Get(t.Context(), t.Namespace, metav1.GetOptions{}); err == nil {
				change(now)
				now, err = write(now)
			}
			return err
		})
		t.NoError(err, "%s", what)
		t.Expect(now.Spec.Taint.Key).To(gomega.Equal(key), "the taint's key: %s", what)
		t.Expect(now.Generation).To(gomega.Equal(generation), "the generation: %s", what)
		t.Expect(meta.FindStatusCondition(now.Status.Conditions, condition(0).Type)).To(has, "the condition: %s", what)
		t.Expect(now.Labels["changed"]).To(gomega.BeEmpty(), "the label: %s", what)
	}
	none := gomega.BeNil()
	expect("create the rule with a status and a generation", put, func(*resourceapi.DeviceTaintRule) {}, "key", 1, none)
	expect("update the rule with a status", put, reported, "key", 1, none)
	expect("write the status with another spec and other metadata", putStatus, func(r *resourceapi.DeviceTaintRule) {
		reported(r)
		r.Spec.Taint.Key, r.Generation = "other", 9
		metav1.SetMetaDataLabel(&r.ObjectMeta, "changed", "true")
	}, "key", 1, gomega.Not(none))
	expect("change the spec", put, func(r *resourceapi.DeviceTaintRule) { r.Spec.Taint.Key = "third" }, "third", 2, gomega.Not(none))
}}
