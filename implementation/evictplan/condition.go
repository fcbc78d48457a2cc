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

package evictplan

import (
	"fmt"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ConditionPeriod is the minimum time between two updates of a rule's condition while the rule does
// not change.
const ConditionPeriod = 10 * time.Second

// Wait returns the delay before the next update of a rule's condition. A last update in the future
// does not delay: the clock was set back or differs from the last leader's, by an unknown amount.
func Wait(rule *resourceapi.DeviceTaintRule, now time.Time) time.Duration {
	current := condition(rule)
	if current == nil || current.ObservedGeneration != rule.Generation {
		return 0
	}
	if since := now.Sub(current.LastTransitionTime.Time); since >= 0 && since < ConditionPeriod {
		return ConditionPeriod - since
	}
	return 0
}

// NextCondition returns a rule's next condition, and false if it is unchanged. evicted is the
// number of pods evicted because of the rule. The condition's time changes with each update, not
// only with its status: Wait depends on it.
func NextCondition(rule *resourceapi.DeviceTaintRule, reach Reach, evicted int, now time.Time) (metav1.Condition, bool) {
	next := metav1.Condition{
		Type:               resourceapi.DeviceTaintConditionEvictionInProgress,
		Status:             metav1.ConditionFalse,
		ObservedGeneration: rule.Generation,
	}
	switch rule.Spec.Taint.Effect {
	case resourceapi.DeviceTaintEffectNoExecute:
		switch {
		case reach.Pods > 0:
			next.Status, next.Reason = metav1.ConditionTrue, "PodsPendingEviction"
			next.Message = fmt.Sprintf("%s to be evicted in %s.", choose(reach.Pods, "1 pod needs", "%d pods need"), namespaces(reach))
		case evicted > 0:
			next.Reason = "Completed"
		default:
			next.Reason = "NotStarted"
		}
	case resourceapi.DeviceTaintEffectNone:
		next.Reason = "NoEffect"
		next.Message = fmt.Sprintf("%s selected. %s selected. %s would be evicted in %s if the effect was NoExecute. "+
			"This information will not be updated again. Recreate the DeviceTaintRule to trigger an update.",
			choose(reach.Published, "1 published device", "%d published devices"),
			choose(reach.Allocated, "1 allocated device", "%d allocated devices"),
			choose(reach.Pods, "1 pod", "%d pods"), namespaces(reach))
	default:
		next.Reason, next.Message = "OtherEffect", "Eviction only happens for the NoExecute effect."
	}
	if evicted > 0 {
		if next.Message != "" {
			next.Message += " "
		}
		next.Message += choose(evicted, "1 pod", "%d pods") + " evicted since starting the controller."
	}
	if current := condition(rule); current != nil {
		next.LastTransitionTime = current.LastTransitionTime
		if *current == next {
			return next, false
		}
	}
	next.LastTransitionTime = metav1.NewTime(now)
	return next, true
}

func condition(rule *resourceapi.DeviceTaintRule) *metav1.Condition {
	for i := range rule.Status.Conditions {
		if rule.Status.Conditions[i].Type == resourceapi.DeviceTaintConditionEvictionInProgress {
			return &rule.Status.Conditions[i]
		}
	}
	return nil
}

func namespaces(reach Reach) string {
	return choose(reach.Namespaces, "1 namespace", "%d different namespaces")
}

// choose returns the singular text, or the plural format with the count.
func choose(count int, one, several string) string {
	if count == 1 {
		return one
	}
	return fmt.Sprintf(several, count)
}
