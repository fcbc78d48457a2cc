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

package controller

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/dra-conformance/dratest/implementation/claimplan"
	"github.com/dra-conformance/dratest/implementation/classic/classicplan"
)

// syncScheduling answers for a pod's claims of this driver, and again periodically while they wait.
func (c *Controller) syncScheduling(ctx context.Context, name cache.ObjectName) (time.Duration, error) {
	pod, err := c.pods.Pods(name.Namespace).Get(name.Name)
	if err != nil {
		return 0, nil // Deleted, or not in the cache yet.
	}
	scheduling := c.schedulingOf(pod)
	if scheduling == nil {
		c.explainWaiting(pod)
		return 0, nil
	}
	var claims []*Claim
	for _, claim := range c.pending(pod) {
		if !c.ours(claim) {
			continue
		}
		if err := c.readParameters(ctx, claim); err != nil {
			return 0, err
		}
		claims = append(claims, claim)
	}
	nodes := classicplan.ToCheck(scheduling)
	if len(claims) == 0 || len(nodes) == 0 {
		return 0, nil
	}
	found := make(map[string][]string)
	for _, claim := range claims {
		found[claim.PodClaim] = nil // Suitable everywhere, unless the driver says more.
	}
	var unsuitable map[string][]string
	err = c.metrics.time("unsuitable_nodes", func() (err error) {
		unsuitable, err = c.driver.UnsuitableNodes(ctx, pod, claims, nodes)
		return err
	})
	if err != nil {
		return 0, c.failed(claims[0], fmt.Errorf("check nodes for pod %s: %w", name, err))
	}
	for entry, nodes := range unsuitable {
		if _, asked := found[entry]; asked {
			found[entry] = nodes
		}
	}
	answered, changed := classicplan.Answer(scheduling, found)
	if !changed {
		return recheck, nil
	}
	answered, err = c.classic.PodSchedulings(name.Namespace).UpdateStatus(ctx, answered, metav1.UpdateOptions{})
	if err = writeFailed("answer for pod", pod, err); errors.Is(err, errOutdated) {
		klog.FromContext(ctx).V(4).Info("Waiting for news of the PodScheduling", "err", err)
		return recheck, nil
	}
	if err != nil {
		return 0, err
	}
	c.latestSchedulings.Mutation(answered)
	klog.FromContext(ctx).V(4).Info("Answered which nodes are unsuitable", "pod", klog.KObj(pod), "unsuitable", found)
	return recheck, nil
}

// explainWaiting records an event for a pending pod tried by a scheduler without classic DRA: that
// scheduler only reports that no device fits.
func (c *Controller) explainWaiting(pod *corev1.Pod) {
	tried := slices.ContainsFunc(pod.Status.Conditions, func(condition corev1.PodCondition) bool {
		return condition.Type == corev1.PodScheduled && condition.Status == corev1.ConditionFalse && condition.Reason == corev1.PodReasonUnschedulable
	})
	if !tried || pod.Spec.NodeName != "" || claimplan.Done(pod) {
		return
	}
	for _, claim := range c.pending(pod) {
		if c.ours(claim) {
			c.events.Eventf(pod, corev1.EventTypeWarning, "WaitingForScheduler",
				"claim %s is allocated by driver %s once a scheduler has selected a node in a PodScheduling, which there is not: the pod fits no node, or scheduler %s has no classic DRA; use one that has, or allocation mode Immediate",
				claim.Claim.Name, c.name, pod.Spec.SchedulerName)
		}
	}
}

// readParameters has the driver read the parameters of a claim.
func (c *Controller) readParameters(ctx context.Context, claim *Claim) error {
	return c.metrics.time("parameters", func() (err error) {
		if claim.Parameters, err = c.driver.Parameters(ctx, claim); err != nil {
			return c.failed(claim, fmt.Errorf("read parameters of claim %s: %w", klog.KObj(claim.Claim), err))
		}
		return nil
	})
}
