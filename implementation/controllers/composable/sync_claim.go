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

package composable

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/dra-conformance/dratest/implementation/fabricplan"
)

// Event reasons for failures of the controller.
const (
	reasonUnavailable = "FabricUnavailable"
	reasonForbidden   = "StatusForbidden"
)

// syncClaim executes a claim's plan and returns the delay until the next sync.
func (c *Controller) syncClaim(ctx context.Context, name cache.ObjectName) (time.Duration, error) {
	claim, err := c.claims.ResourceClaims(name.Namespace).Get(name.Name)
	if err != nil {
		return 0, nil // deleted; the cache has no other errors
	}
	view := fabricplan.ClaimView{
		Config: c.config.Config, Claim: claim, Answers: map[string]fabricplan.Answer{}, Nodes: map[string]bool{}, Now: time.Now(),
		NodeExists: c.nodeExists, Published: c.published, Dead: c.isDead,
	}
	plan := fabricplan.PlanClaim(view)
	for asks(plan) {
		if wait, err := c.ask(ctx, view, plan); err != nil || wait > 0 {
			return wait, err
		}
		plan = fabricplan.PlanClaim(view)
	}
	var again time.Duration
	for _, action := range plan {
		switch action := action.(type) {
		case fabricplan.WriteStatus:
			wait, err := c.writeStatus(ctx, claim, action)
			if err != nil || wait > 0 {
				return wait, err
			}
		case fabricplan.PollClaim:
			again = pollPeriod
		}
	}
	return again, nil
}

func asks(plan []fabricplan.Action) bool {
	for _, action := range plan {
		switch action.(type) {
		case fabricplan.Attach, fabricplan.VerifyNode:
			return true
		}
	}
	return false
}

// ask adds a plan's queries to the view. It returns the retry delay if the fabric is unavailable.
func (c *Controller) ask(ctx context.Context, view fabricplan.ClaimView, plan []fabricplan.Action) (time.Duration, error) {
	for _, action := range plan {
		switch action := action.(type) {
		case fabricplan.VerifyNode:
			// With permission to list nodes only, get one by name.
			list, err := c.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{FieldSelector: metav1.ObjectNameField + "=" + action.Name})
			if err != nil {
				return 0, fmt.Errorf("look whether there is a node %s: %w", action.Name, err)
			}
			view.Nodes[action.Name] = slices.ContainsFunc(list.Items, func(n corev1.Node) bool { return n.Name == action.Name })
		case fabricplan.Attach:
			answer, err := c.attach(ctx, action)
			if err != nil {
				// The scheduler waits for as long as it is patient.
				c.events.Eventf(view.Claim, corev1.EventTypeWarning, reasonUnavailable, "attach a device of model %s to node %s: %v", action.Model, action.Node, err)
				klog.FromContext(ctx).Error(err, "The fabric was asked for a device, trying again")
				return retryPeriod, nil
			}
			view.Answers[action.Key] = answer
		}
	}
	return 0, nil
}

func (c *Controller) attach(ctx context.Context, attach fabricplan.Attach) (fabricplan.Answer, error) {
	answer, err := c.fabric.Attach(ctx, attach)
	c.metrics.asked("attach", err)
	if err != nil {
		return answer, err
	}
	klog.FromContext(ctx).V(4).Info("Asked for a device", "key", attach.Key, "model", attach.Model, "node", attach.Node, "answer", answer)
	return answer, nil
}

// writeStatus reports to the scheduler in claim status and to users in events. It returns the retry
// delay if the update is forbidden.
func (c *Controller) writeStatus(ctx context.Context, claim *resourceapi.ResourceClaim, write fabricplan.WriteStatus) (time.Duration, error) {
	_, err := c.client.ResourceV1().ResourceClaims(claim.Namespace).UpdateStatus(ctx, write.Apply(claim), metav1.UpdateOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return 0, nil
	case forbidden(err):
		c.events.Eventf(claim, corev1.EventTypeWarning, reasonForbidden, "tell the scheduler of the claim's devices: %v", err)
		klog.FromContext(ctx).Error(err, "The status of a claim may not be written, trying again")
		return retryPeriod, nil
	case err != nil:
		return 0, fmt.Errorf("update the status of claim %s: %w", klog.KObj(claim), err)
	}
	for _, note := range write.Notes {
		c.events.Event(claim, note.Type, note.Reason, note.Message)
		c.metrics.observe(claim, note.Reason)
	}
	klog.FromContext(ctx).V(2).Info("Updated the status of a claim", "notes", write.Notes)
	if c.config.RefreshAfterActs {
		c.Queue.Add(item{})
	}
	return 0, nil
}

// forbidden reports whether the API server denied permission. With permission for the status but
// not for the driver's devices in it, the error is an invalid field.
func forbidden(err error) bool {
	return apierrors.IsForbidden(err) || apierrors.HasStatusCause(err, metav1.CauseType(field.ErrorTypeForbidden))
}

func (c *Controller) nodeExists(name string) bool {
	_, err := c.nodes.Get(name)
	return err == nil
}

// published reports whether a driver's slice for a node has a device.
func (c *Controller) published(node, device string) bool {
	all, _ := c.slices.List(labels.Everything()) // the cache has no errors
	for _, slice := range all {
		if slice.Spec.Driver != c.config.Driver || slice.Spec.NodeName == nil || *slice.Spec.NodeName != node {
			continue
		}
		for _, d := range slice.Spec.Devices {
			if d.Name == device {
				return true
			}
		}
	}
	return false
}

func (c *Controller) isDead(device string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.dead[device]
}
