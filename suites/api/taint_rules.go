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
	"k8s.io/client-go/util/retry"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// TaintRules writes invalid DeviceTaintRules, and changes one. The time changes with the effect, and stays when the
// key or the value changes, or when it is given.
var TaintRules = harness.Case{Meta: spec.Meta{
	ID:     "api/taint-rules",
	Checks: "A DeviceTaintRule has a valid taint, valid names and at most 8 conditions; only its effect renews its time.",
	Requires: []spec.RequirementID{
		"kep-5055/rule-time-updated", "kep-5055/rule-time-kept", "kep-5055/rule-conditions-8", "kep-5055/taint-label", "kep-5055/taint-effects", "kep-5055/rule-selector-names",
	},
	Needs: spec.Needs{NoNode: true, Since: "1.37", Features: []spec.Feature{spec.DeviceTaintRules}},
}, Run: func(t *harness.T) {
	client := t.Client.ResourceV1().DeviceTaintRules()
	long := metav1.NewTime(time.Date(2024, time.May, 1, 12, 0, 0, 0, time.UTC))
	taint := resourceapi.DeviceTaint{Key: "key", Value: "value", Effect: resourceapi.DeviceTaintEffectNone, TimeAdded: &long}
	rules := append(taintRules("spec.taint", func(taint resourceapi.DeviceTaint) func(*resourceapi.DeviceTaintRule) {
		return func(r *resourceapi.DeviceTaintRule) { r.Spec.Taint = taint }
	}), selectorOfRule()...)
	judge(t, func() *resourceapi.DeviceTaintRule { return objects.TaintRule(t.Namespace, driver, taint) }, create(t, client), rules...)

	t.Create(objects.TaintRule(t.Namespace, t.Namespace, taint)) // of a missing driver
	change := func(what string, change func(*resourceapi.DeviceTaint)) time.Time {
		t.Step("change the rule's %s", what)
		var rule *resourceapi.DeviceTaintRule
		// The controller writes the status, too.
		err := retry.RetryOnConflict(retry.DefaultRetry, func() (err error) {
			if rule, err = client.Get(t.Context(), t.Namespace, metav1.GetOptions{}); err != nil {
				return err
			}
			change(&rule.Spec.Taint)
			rule, err = client.Update(t.Context(), rule, metav1.UpdateOptions{})
			return err
		})
		t.NoError(err, "change the rule's %s", what)
		return rule.Spec.Taint.TimeAdded.UTC()
	}
	kept := change("key and value", func(t *resourceapi.DeviceTaint) { t.Key, t.Value = "other", "" })
	t.Expect(kept).To(gomega.Equal(long.Time), "the time after a change of key and value")
	before := time.Now().Add(-clockSkew)
	updated := change("effect", func(t *resourceapi.DeviceTaint) { t.Effect = resourceapi.DeviceTaintEffectNoSchedule })
	t.Expect(updated).To(gomega.And(gomega.BeTemporally(">=", before), gomega.BeTemporally("<=", time.Now().Add(clockSkew))), "the time after a change of the effect")
	given := change("effect and time", func(t *resourceapi.DeviceTaint) {
		t.Effect, t.TimeAdded = resourceapi.DeviceTaintEffectNone, &long
	})
	t.Expect(given).To(gomega.Equal(long.Time), "the time set with a change of the effect")

	valid := func() *resourceapi.DeviceTaintRule {
		rule, err := client.Get(t.Context(), t.Namespace, metav1.GetOptions{})
		t.NoError(err, "get the rule")
		return rule
	}
	conditions := func(n int) func(*resourceapi.DeviceTaintRule) {
		return func(r *resourceapi.DeviceTaintRule) { r.Status.Conditions = numbered(n, condition) }
	}
	// The controller writes the status, too.
	newest := func(write func(*resourceapi.DeviceTaintRule) error) func(*resourceapi.DeviceTaintRule) error {
		return func(r *resourceapi.DeviceTaintRule) error {
			return retry.RetryOnConflict(retry.DefaultRetry, func() error {
				r.ResourceVersion = valid().ResourceVersion
				return write(r)
			})
		}
	}
	judge(t, valid, newest(update(t, client)), rules...)
	judge(t, valid, newest(updateStatus(t, client)), rule[*resourceapi.DeviceTaintRule]{
		"nine conditions", conditions(8), conditions(9), "status.conditions", tooMany,
	})
}}

// selectorOfRule are the rules for the device selector of a rule.
func selectorOfRule() []rule[*resourceapi.DeviceTaintRule] {
	selecting := func(change func(*resourceapi.DeviceTaintSelector, *string)) func(name string) func(*resourceapi.DeviceTaintRule) {
		return func(name string) func(*resourceapi.DeviceTaintRule) {
			return func(r *resourceapi.DeviceTaintRule) { change(r.Spec.DeviceSelector, &name) }
		}
	}
	by := selecting(func(s *resourceapi.DeviceTaintSelector, name *string) { s.Driver = name })
	in := selecting(func(s *resourceapi.DeviceTaintSelector, name *string) { s.Pool = name })
	named := selecting(func(s *resourceapi.DeviceTaintSelector, name *string) { s.Device = name })
	const field = "spec.deviceSelector"
	return []rule[*resourceapi.DeviceTaintRule]{
		{"a driver with an underscore", by("my-driver"), by("my_driver"), field + ".driver", invalid},
		{"a driver of 64 characters", by(characters(63)), by(characters(64)), field + ".driver", tooLong},
		{"a pool with nothing between slashes", in("a/b"), in("a//b"), field + ".pool", invalid},
		{"a pool with a capital", in("a.b/c"), in("a.b/C"), field + ".pool", invalid},
		{"a pool of 254 characters", in(characters(253)), in(characters(254)), field + ".pool", tooLong},
		{"a device with a capital", named("gpu"), named("GPU"), field + ".device", invalid},
		{"a device of 64 characters", named(characters(63)), named(characters(64)), field + ".device", invalid},
	}
}

func condition(i int) metav1.Condition {
	return metav1.Condition{Type: name("Type", i), Status: metav1.ConditionTrue, Reason: "Test", LastTransitionTime: metav1.NewTime(time.Now())}
}
