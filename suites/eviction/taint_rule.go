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

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// TaintRule creates a rule without effect, then sets the effect.
var TaintRule = harness.Case{Meta: spec.Meta{
	ID:       "eviction/taint-rule",
	Checks:   "A DeviceTaintRule without effect reports affected pods; with NoExecute it evicts them and reports completion.",
	Requires: []spec.RequirementID{"kep-5055/evict-by-rule", "kep-5055/rule-says-what-it-does"},
	Needs:    spec.Needs{Features: []spec.Feature{spec.DeviceTaints, spec.DeviceTaintRules}, Profile: profiles.OneDevice()},
	WaitsFor: "The condition of a rule is updated every 10 s (k8s.io/kubernetes v1.37.1 pkg/controller/devicetainteviction/device_taint_eviction.go).",
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Create(objects.Claim("claim", objects.Request("req", class)))
	t.RunPod(objects.Pod("pod", t.Image, "claim"))
	rule := objects.TaintRule(t.DriverName(), t.DriverName(), broken(resourceapi.DeviceTaintEffectNone))

	untilCounted(t, rule, 1)
	t.Create(rule)
	t.Expect(wouldDelete(t, rule, 1)).To(gomega.Equal(1), "pods the rule would delete")
	t.Expect(t.WaitRunning("pod").DeletionTimestamp).To(gomega.BeNil(), "deletion of the pod")

	edit.Rule(t, rule.Name, func(r *resourceapi.DeviceTaintRule) { r.Spec.Taint.Effect = resourceapi.DeviceTaintEffectNoExecute })

	t.WaitEvent("pod", event, "Marking for deletion")
	t.WaitPodGone("pod")
	done := waitNotInProgress(t, rule, 2)
	t.Expect(done.Message).To(gomega.ContainSubstring("1 pod evicted"), "condition of a rule after deleting a pod")
	t.WaitDeallocated("claim")
}}

// waitNotInProgress waits until this generation of a rule has no pending evictions.
func waitNotInProgress(t *harness.T, rule *resourceapi.DeviceTaintRule, generation int64) metav1.Condition {
	return waitInProgress(t, rule, generation, metav1.ConditionFalse)
}

// waitInProgress waits until this generation of a rule has EvictionInProgress with this status.
func waitInProgress(t *harness.T, rule *resourceapi.DeviceTaintRule, generation int64, status metav1.ConditionStatus) metav1.Condition {
	return waitCondition(t, rule, fmt.Sprintf("to say %s of evictions in progress in its generation %d", status, generation), func(c metav1.Condition) bool {
		return c.ObservedGeneration == generation && c.Status == status
	})
}

// waitCondition waits for a rule's EvictionInProgress condition.
func waitCondition(t *harness.T, rule *resourceapi.DeviceTaintRule, what string, ok func(metav1.Condition) bool) metav1.Condition {
	var found metav1.Condition
	t.Poll("the rule "+what, func(ctx context.Context) (bool, string, error) {
		now, err := t.Client.ResourceV1().DeviceTaintRules().Get(ctx, rule.Name, metav1.GetOptions{})
		if err != nil {
			return false, "", err
		}
		c := meta.FindStatusCondition(now.Status.Conditions, resourceapi.DeviceTaintConditionEvictionInProgress)
		if c == nil {
			return false, "no condition", nil
		}
		found = *c
		return ok(found), fmt.Sprintf("%s %s: %s", c.Status, c.Reason, c.Message), nil
	})
	return found
}
