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
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// conditionPeriod is the time between two updates of a rule's condition.
const conditionPeriod = 10 * time.Second

// ReportedOnce adds a pod after a rule without effect has reported. A younger rule counts it, the older
// one only after a change.
var ReportedOnce = harness.Case{Meta: spec.Meta{
	ID:       "eviction/told-once",
	Checks:   "A DeviceTaintRule without effect reports the number of pods to evict once per generation.",
	Requires: []spec.RequirementID{"kep-5055/none-tells-once"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.DeviceTaints, spec.DeviceTaintRules}},
	WaitsFor: "The condition of a rule is updated every 10 s (k8s.io/kubernetes v1.37.1 pkg/controller/devicetainteviction/device_taint_eviction.go).",
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	users(t, class, "first", t.Nodes[0], "a", "b")
	rule := func(name string) *resourceapi.DeviceTaintRule {
		return objects.TaintRule(name+"-"+t.DriverName(), t.DriverName(), broken(resourceapi.DeviceTaintEffectNone))
	}
	untilCounted(t, rule("probe"), 2)
	old := rule("old")
	t.Create(old)
	t.Expect(wouldDelete(t, old, 1)).To(gomega.Equal(2), "pods the rule would delete")

	users(t, class, "second", t.Nodes[0], "c")
	untilCounted(t, rule("young"), 3)
	staysAt(t, old, 2)

	edit.Rule(t, old.Name, func(r *resourceapi.DeviceTaintRule) { r.Spec.Taint.Value = "changed" })
	t.Expect(wouldDelete(t, old, 2)).To(gomega.Equal(3), "pods the changed rule would delete")
	stays(t, "a", "b", "c")
}}

// staysAt ends the case if a rule's number of pods changes within the update period of its condition.
func staysAt(t *harness.T, rule *resourceapi.DeviceTaintRule, reported int) {
	t.Never(conditionPeriod+conditionPeriod/4, fmt.Sprintf("number of pods but %d in the condition of the rule", reported), func(ctx context.Context) (bool, string, error) {
		now, err := t.Client.ResourceV1().DeviceTaintRules().Get(ctx, rule.Name, metav1.GetOptions{})
		if err != nil {
			return false, "", err
		}
		c := meta.FindStatusCondition(now.Status.Conditions, resourceapi.DeviceTaintConditionEvictionInProgress)
		if c == nil {
			return true, "no condition", nil
		}
		found := pods.FindStringSubmatch(c.Message)
		return found == nil || found[1] != strconv.Itoa(reported), c.Message, nil
	})
}
