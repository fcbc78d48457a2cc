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
	applyv1 "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/dra-conformance/dratest/implementation/evictplan"
)

// reasonEviction is the reason of pod events.
const reasonEviction = "DeviceTaintManagerEviction"

// syncPod evicts a pod that is due, or returns the delay until then.
func (c *Controller) syncPod(ctx context.Context, i item) (time.Duration, error) {
	pod, err := c.pods.Pods(i.Name.Namespace).Get(i.Name.Name)
	if err != nil || pod.UID != i.UID || c.state.wasEvicted(i.UID) {
		// Deleted or terminating.
		return 0, nil
	}
	logger := klog.FromContext(ctx)
	eviction, evict := c.plan(pod)
	if !evict {
		if c.state.cancel(pod.UID) && pod.DeletionTimestamp == nil {
			logger.V(2).Info("Eviction is not necessary any more")
			c.events.Event(pod, corev1.EventTypeNormal, reasonEviction, "Cancelling deletion")
		}
		return 0, nil
	}
	c.state.expect(pod.UID)
	c.reportLater(eviction)
	if wait := time.Until(eviction.At); wait > 0 {
		logger.V(4).Info("Evicting later", "at", eviction.At, "causes", eviction.Causes)
		return wait, nil
	}
	return 0, c.evict(ctx, i, eviction)
}

func (c *Controller) plan(pod *corev1.Pod) (eviction evictplan.Eviction, evict bool) {
	world := evictplan.World{Claim: func(namespace, name string) *resourceapi.ResourceClaim {
		// The only possible error is NotFound.
		claim, _ := c.claims.ResourceClaims(namespace).Get(name)
		return claim
	}}
	if c.rules != nil {
		world.Rules, _ = c.rules.List(labels.Everything())
	}
	c.state.withPools(func(pools *evictplan.Pools) {
		world.Pools = pools
		eviction, evict = world.ForPod(pod)
	})
	return eviction, evict
}

// reportLater updates rule status after all pods changing now have changed.
func (c *Controller) reportLater(eviction evictplan.Eviction) {
	for _, rule := range rulesOf(eviction.Causes) {
		c.Queue.AddAfter(item{ruleItem, cache.NewObjectName("", rule.Name), rule.UID}, evictplan.ConditionPeriod)
	}
}

// evict deletes a pod after setting its condition.
func (c *Controller) evict(ctx context.Context, i item, eviction evictplan.Eviction) error {
	pods := c.client.CoreV1().Pods(i.Name.Namespace)
	pod, err := pods.Get(ctx, i.Name.Name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err), err == nil && (pod.UID != i.UID || pod.DeletionTimestamp != nil):
		c.state.done(i.UID, nil)
		return nil
	case err != nil:
		return fmt.Errorf("get pod %s: %w", i.Name, err)
	}
	c.events.Event(pod, corev1.EventTypeNormal, reasonEviction, "Marking for deletion")
	if err := c.announce(ctx, pod); err != nil {
		return err
	}
	err = pods.Delete(ctx, pod.Name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &i.UID}})
	if apierrors.IsNotFound(err) {
		c.state.done(i.UID, nil)
		return nil
	}
	if err != nil {
		return fmt.Errorf("delete pod %s: %w", i.Name, err)
	}
	late := time.Since(eviction.At)
	klog.FromContext(ctx).V(2).Info("Evicted pod", "causes", eviction.Causes, "late", late)
	c.metrics.evicted(late)
	c.state.done(i.UID, eviction.Causes)
	return nil
}

// announce adds the DisruptionTarget condition to a pod's status, telling the owner why the pod
// ended.
func (c *Controller) announce(ctx context.Context, pod *corev1.Pod) error {
	condition := applyv1.PodCondition().
		WithType(corev1.DisruptionTarget).
		WithStatus(corev1.ConditionTrue).
		WithReason("DeletionByDeviceTaintManager").
		WithMessage("Device Taint manager: deleting due to NoExecute taint").
		WithLastTransitionTime(metav1.Now())
	for _, old := range pod.Status.Conditions {
		if old.Type == *condition.Type && old.Status == *condition.Status {
			condition.WithLastTransitionTime(old.LastTransitionTime)
		}
	}
	apply := applyv1.Pod(pod.Name, pod.Namespace).WithUID(pod.UID).WithStatus(applyv1.PodStatus().WithConditions(condition))
	_, err := c.client.CoreV1().Pods(pod.Namespace).ApplyStatus(ctx, apply, metav1.ApplyOptions{FieldManager: Name, Force: true})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("say in the status of pod %s that it is evicted: %w", klog.KObj(pod), err)
	}
	return nil
}
