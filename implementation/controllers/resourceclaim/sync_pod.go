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

package resourceclaim

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	schedulingapi "k8s.io/api/scheduling/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	applyv1 "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/dra-conformance/dratest/implementation/claimplan"
	"github.com/dra-conformance/dratest/implementation/controllers/loop"
)

func (c *Controller) syncPod(ctx context.Context, key cache.ObjectName) error {
	pod, err := c.pods.Pods(key.Namespace).Get(key.Name)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("get pod %s: %w", key, err)
	}
	view, err := c.viewPod(ctx, pod)
	if err != nil {
		return err
	}
	s := podSync{Controller: c, view: view, tried: make(map[string]error)}
	for {
		plan := claimplan.PlanPod(s.view)
		open, err := s.prepare(ctx, plan)
		if err != nil {
			return err
		}
		if !open {
			return s.finish(ctx, plan)
		}
	}
}

func (c *Controller) viewPod(ctx context.Context, pod *corev1.Pod) (claimplan.PodView, error) {
	view := claimplan.PodView{Pod: pod, NoClaim: sets.New[string]()}
	var err error
	if view.PodGroup, err = c.podGroup(ctx, pod); err != nil {
		return view, err
	}
	for _, name := range claimplan.TemplateNames(pod) {
		if template, err := c.templates.ResourceClaimTemplates(pod.Namespace).Get(name); err == nil {
			view.Templates = append(view.Templates, template)
		}
	}
	known := make(map[string]*resourceapi.ResourceClaim)
	for _, claim := range c.created.of(pod.UID) {
		known[claim.Name] = claim
	}
	owned, err := c.claimIndex.ByIndex(claimsByPod, string(pod.UID))
	if err != nil {
		return view, fmt.Errorf("find the claims of pod %s: %w", klog.KObj(pod), err)
	}
	for _, object := range owned {
		claim := object.(*resourceapi.ResourceClaim)
		known[claim.Name] = claim
	}
	for _, name := range claimplan.ClaimNames(pod) {
		if claim, err := c.claims.ResourceClaims(pod.Namespace).Get(name); err == nil {
			known[name] = claim
		}
	}
	for _, claim := range known {
		view.Claims = append(view.Claims, claim)
	}
	return view, nil
}

// podGroup reads a pod's group. Pods with groups are rare, and retrying waits for a missing group,
// so there is no watch.
func (c *Controller) podGroup(ctx context.Context, pod *corev1.Pod) (*schedulingapi.PodGroup, error) {
	if pod.Spec.SchedulingGroup == nil || pod.Spec.SchedulingGroup.PodGroupName == nil {
		return nil, nil
	}
	group, err := c.client.SchedulingV1beta1().PodGroups(pod.Namespace).Get(ctx, *pod.Spec.SchedulingGroup.PodGroupName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("get PodGroup for Pod %s: %w", klog.KObj(pod), err)
	}
	return group, nil
}

type podSync struct {
	*Controller
	view claimplan.PodView
	// tried are the errors of claim creation by entry of the pod's spec.
	tried map[string]error
}

// prepare executes the steps needed before planning the rest, and reports whether there were any.
// It terminates: each call answers a query or creates an untried claim.
func (s *podSync) prepare(ctx context.Context, plan []claimplan.Action) (open bool, err error) {
	for _, action := range plan {
		switch action := action.(type) {
		case claimplan.VerifyClaim:
			open = true
			if err := s.verify(ctx, action); err != nil {
				return false, err
			}
		case claimplan.VerifyPod:
			open = true
			if s.view.Live, err = s.livePod(ctx, action); err != nil {
				return false, err
			}
			s.view.Verified = true
		case claimplan.CreateClaim:
			if _, tried := s.tried[action.PodClaim]; !tried {
				open = true
				s.tried[action.PodClaim] = s.create(ctx, action)
			}
		}
	}
	return open, nil
}

func (s *podSync) verify(ctx context.Context, action claimplan.VerifyClaim) error {
	claim, err := s.client.ResourceV1().ResourceClaims(action.Namespace).Get(ctx, action.Name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		s.view.NoClaim.Insert(action.Name)
	case err != nil:
		return fmt.Errorf("check whether claim %s/%s exists: %w", action.Namespace, action.Name, err)
	default:
		s.view.Claims = append(s.view.Claims, claim)
	}
	return nil
}

func (s *podSync) create(ctx context.Context, action claimplan.CreateClaim) error {
	claim, err := s.client.ResourceV1().ResourceClaims(action.Claim.Namespace).Create(ctx, action.Claim, metav1.CreateOptions{})
	s.metrics.created(action.Claim, err)
	if err != nil {
		return err
	}
	klog.FromContext(ctx).V(2).Info("Created claim", "claim", klog.KObj(claim), "podClaim", action.PodClaim)
	s.created.add(s.view.Pod.UID, claim)
	s.view.Claims = append(s.view.Claims, claim)
	return nil
}

// finish executes the rest of a plan. A failing action does not stop the others.
func (s *podSync) finish(ctx context.Context, plan []claimplan.Action) error {
	var errs []error
	permanent := true
	fail := func(err error, retry bool) {
		if err != nil {
			errs = append(errs, err)
			permanent = permanent && !retry
		}
	}
	for _, action := range plan {
		switch action := action.(type) {
		case claimplan.RecordClaimNames:
			fail(s.record(ctx, action), true)
		case claimplan.Reserve:
			fail(s.reserve(ctx, action), true)
		case claimplan.CreateClaim:
			failure := s.notCreated(action)
			fail(s.report(failure), failure.Retry)
		case claimplan.Fail:
			fail(s.report(action), action.Retry)
		}
	}
	err := errors.Join(errs...)
	if err != nil && permanent {
		return &loop.PermanentError{Err: err}
	}
	return err
}

// notCreated explains why a claim is still missing after a creation attempt. If the claim was
// created but not recognized as the pod's, retrying would not help.
func (s *podSync) notCreated(action claimplan.CreateClaim) claimplan.Fail {
	err := s.tried[action.PodClaim]
	if err != nil {
		return claimplan.CreationFailed(s.view, action, err)
	}
	failure := claimplan.CreationFailed(s.view, action, errors.New("something has changed its owner or its annotation"))
	failure.Retry = false
	return failure
}

// report records a failure as an event and returns it as an error.
func (s *podSync) report(failure claimplan.Fail) error {
	if failure.Event != "" {
		s.events.Event(s.view.Pod, corev1.EventTypeWarning, claimplan.ReasonFailedCreation, failure.Event)
	}
	return failure.Err
}

func (s *podSync) record(ctx context.Context, action claimplan.RecordClaimNames) error {
	status := applyv1.PodStatus()
	for _, entry := range action.Statuses {
		apply := applyv1.PodResourceClaimStatus().WithName(entry.Name)
		apply.ResourceClaimName = entry.ResourceClaimName
		status.WithResourceClaimStatuses(apply)
	}
	pod := applyv1.Pod(action.Pod.Name, action.Pod.Namespace).WithUID(action.Pod.UID).WithStatus(status)
	_, err := s.client.CoreV1().Pods(action.Pod.Namespace).ApplyStatus(ctx, pod, metav1.ApplyOptions{FieldManager: claimplan.FieldManager, Force: true})
	if err != nil {
		return fmt.Errorf("record the names of the claims of pod %s/%s: %w", action.Pod.Namespace, action.Pod.Name, err)
	}
	// Not V(2): each created claim has its own line. Another line per pod cost 0.2 s of 9 s CPU
	// time for 1000 pods with claims in dratest perf.
	klog.FromContext(ctx).V(5).Info("Recorded the names of claims in the pod's status", "claims", len(action.Statuses))
	return nil
}

func (s *podSync) reserve(ctx context.Context, action claimplan.Reserve) error {
	for _, claim := range s.view.Claims {
		if claim.UID != action.Claim.UID {
			continue
		}
		_, err := s.client.ResourceV1().ResourceClaims(claim.Namespace).UpdateStatus(ctx, action.Apply(claim), metav1.UpdateOptions{})
		if err != nil {
			return fmt.Errorf("reserve claim %s for pod %s: %w", klog.KObj(claim), action.Consumer.Name, err)
		}
		klog.FromContext(ctx).V(2).Info("Reserved claim", "claim", klog.KObj(claim))
	}
	return nil
}
