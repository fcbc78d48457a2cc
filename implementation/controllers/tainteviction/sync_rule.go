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

package tainteviction

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	applymetav1 "k8s.io/client-go/applyconfigurations/meta/v1"
	applyresourcev1 "k8s.io/client-go/applyconfigurations/resource/v1"
	"k8s.io/klog/v2"

	"github.com/dra-conformance/dratest/implementation/evictplan"
)

// syncRule reports a rule's effect in its status, rate-limited.
func (c *Controller) syncRule(ctx context.Context, i item) (time.Duration, error) {
	rule, err := c.rules.Get(i.Name.Name)
	if err != nil || rule.UID != i.UID {
		// Deleted. The cache has no other errors.
		return 0, nil
	}
	now := time.Now()
	if wait := evictplan.Wait(rule, now); wait > 0 {
		return wait, nil
	}
	condition, changed := evictplan.NextCondition(rule, c.reach(rule), c.state.toll(rule.UID), now)
	if !changed {
		return 0, nil
	}
	apply := applyresourcev1.DeviceTaintRule(rule.Name).WithUID(rule.UID).WithStatus(
		applyresourcev1.DeviceTaintRuleStatus().WithConditions(applymetav1.Condition().
			WithType(condition.Type).
			WithStatus(condition.Status).
			WithReason(condition.Reason).
			WithMessage(condition.Message).
			WithObservedGeneration(condition.ObservedGeneration).
			WithLastTransitionTime(condition.LastTransitionTime)))
	_, err = c.client.ResourceV1().DeviceTaintRules().ApplyStatus(ctx, apply, metav1.ApplyOptions{FieldManager: Name, Force: true})
	if err != nil && !apierrors.IsNotFound(err) {
		return 0, fmt.Errorf("update the status of DeviceTaintRule %s: %w", rule.Name, err)
	}
	klog.FromContext(ctx).V(2).Info("Updated the status of a rule", "condition", condition)
	return 0, nil
}

// reach counts a rule's effect. Rules that never evict are skipped.
func (c *Controller) reach(rule *resourceapi.DeviceTaintRule) evictplan.Reach {
	var inventory evictplan.Inventory
	switch rule.Spec.Taint.Effect {
	case resourceapi.DeviceTaintEffectNoExecute:
	case resourceapi.DeviceTaintEffectNone:
		inventory.Slices, _ = c.slices.List(labels.Everything())
	default:
		return evictplan.Reach{}
	}
	inventory.Claims, _ = c.claims.List(labels.Everything())
	inventory.Pod = func(namespace, name string) *corev1.Pod {
		pod, _ := c.pods.Pods(namespace).Get(name)
		return pod
	}
	return evictplan.ReachOf(rule, inventory)
}
