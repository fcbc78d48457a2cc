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

package claimplan

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	schedulingapi "k8s.io/api/scheduling/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
)

// PodView is the known state of a pod and of its references, all in its namespace.
type PodView struct {
	Pod *corev1.Pod
	// Live is the pod read from the API server, or nil. It is valid if Verified is set.
	Live     *corev1.Pod
	Verified bool
	// PodGroup is the pod's group, or nil if there is none or it is unknown.
	PodGroup *schedulingapi.PodGroup
	// Templates are the existing ones of TemplateNames.
	Templates []*resourceapi.ResourceClaimTemplate
	// Claims are the known claims of ClaimNames and those owned by the pod, including newly created
	// ones.
	Claims []*resourceapi.ResourceClaim
	// NoClaim has names of claims missing on the API server.
	NoClaim sets.Set[string]
}

// PlanPod plans the actions to give a pod its claims. Claims are independent: a failing one does
// not block the others.
//
// Deleted, finished or terminating pods get nothing: no new claims and, as in kubernetes#141274, no
// new reservations of their claims.
func PlanPod(view PodView) []Action {
	if view.Verified {
		if view.Live == nil || view.Live.UID != view.Pod.UID {
			return nil
		}
		view.Pod = view.Live
	}
	if view.Pod.DeletionTimestamp != nil || Done(view.Pod) {
		return nil
	}
	if group := view.Pod.Spec.SchedulingGroup; group != nil && group.PodGroupName != nil && view.PodGroup == nil {
		missing := apierrors.NewNotFound(schedulingapi.Resource("podgroup"), *group.PodGroupName)
		return []Action{Fail{
			Err:   fmt.Errorf("get PodGroup for Pod %s/%s: %w", view.Pod.Namespace, view.Pod.Name, missing),
			Retry: true,
		}}
	}
	plan := podPlan{PodView: view}
	for i := range view.Pod.Spec.ResourceClaims {
		podClaim := &view.Pod.Spec.ResourceClaims[i]
		if err := plan.provide(podClaim); err != nil {
			plan.failures = append(plan.failures, failure(view, podClaim.Name, err))
		}
	}
	if len(plan.verify) > 0 {
		return plan.verify
	}
	plan.record()
	plan.reserve()
	return slices.Concat(plan.actions, plan.failures)
}

type podPlan struct {
	PodView
	verify, actions, failures []Action
	// found are names of existing claims missing in the pod's status.
	found []corev1.PodResourceClaimStatus
}

// provide ensures that the claim for an entry of the pod's spec exists and its name is known.
func (p *podPlan) provide(podClaim *corev1.PodResourceClaim) error {
	name, mustCheckOwner, err := resourceclaim.Name(p.Pod, podClaim)
	switch {
	case errors.Is(err, resourceclaim.ErrClaimNotFound):
		// Not in the pod's status yet.
	case err != nil:
		return fmt.Errorf("checking for claim before creating it: %w", err)
	case podClaim.ResourceClaimTemplateName == nil || name == nil:
		// Made by the user, or known to be unnecessary.
		return nil
	default:
		claim := p.claim(*name)
		if claim == nil && !p.NoClaim.Has(*name) {
			p.verify = append(p.verify, VerifyClaim{Namespace: p.Pod.Namespace, Name: *name})
			return nil
		}
		if claim != nil && (!mustCheckOwner || resourceclaim.IsForPod(p.Pod, claim, false) == nil) {
			return nil
		}
		// It was deleted or belongs to somebody else by now: the pod gets another one. Most
		// often it is the pod that was deleted, and its claim after it.
		if verify := (VerifyPod{Namespace: p.Pod.Namespace, Name: p.Pod.Name}); !p.Verified {
			if !slices.Contains(p.verify, Action(verify)) {
				p.verify = append(p.verify, verify)
			}
			return nil
		}
	}
	return p.generate(podClaim)
}

// generate finds or creates the claim for an entry with a template.
func (p *podPlan) generate(podClaim *corev1.PodResourceClaim) error {
	bindTo, err := resourceclaim.BindTo(p.Pod, p.PodGroup, podClaim)
	if err != nil {
		return err
	}
	if !isPod(bindTo) {
		p.failures = append(p.failures, p.groupClaim(podClaim))
		return nil
	}
	if claim := p.generated(podClaim.Name); claim != nil {
		p.found = append(p.found, corev1.PodResourceClaimStatus{Name: podClaim.Name, ResourceClaimName: &claim.Name})
		return nil
	}
	for _, template := range p.Templates {
		if template.Name == *podClaim.ResourceClaimTemplateName {
			p.actions = append(p.actions, CreateClaim{PodClaim: podClaim.Name, Claim: newClaim(p.Pod, podClaim.Name, template)})
			return nil
		}
	}
	missing := apierrors.NewNotFound(resourceapi.Resource("resourceclaimtemplate"), *podClaim.ResourceClaimTemplateName)
	return fmt.Errorf("resource claim template %q: %w", *podClaim.ResourceClaimTemplateName, missing)
}

// groupClaim fails for claims shared by a PodGroup: an alpha feature of Kubernetes (KEP-5729), off
// by default.
func (p *podPlan) groupClaim(podClaim *corev1.PodResourceClaim) Fail {
	fail := failure(p.PodView, podClaim.Name,
		fmt.Errorf("claim %s is a PodGroup claim but the DRAWorkloadResourceClaims feature is disabled", podClaim.Name))
	fail.Retry = false
	return fail
}

// claim returns a claim by name, or nil if unknown.
func (p *podPlan) claim(name string) *resourceapi.ResourceClaim {
	for _, claim := range p.Claims {
		if claim.Name == name {
			return claim
		}
	}
	return nil
}

// generated returns the claim created earlier for an entry of the pod's spec without recording its
// name. A controller replaced at the wrong time can leave several: the oldest wins, the others go
// with the pod.
func (p *podPlan) generated(podClaim string) *resourceapi.ResourceClaim {
	var oldest *resourceapi.ResourceClaim
	for _, claim := range p.Claims {
		if claim.Annotations[resourceapi.PodResourceClaimAnnotation] != podClaim ||
			claim.DeletionTimestamp != nil || p.NoClaim.Has(claim.Name) ||
			resourceclaim.IsForPod(p.Pod, claim, false) != nil {
			continue
		}
		if oldest == nil || older(claim, oldest) {
			oldest = claim
		}
	}
	return oldest
}

func older(a, b *resourceapi.ResourceClaim) bool {
	if !a.CreationTimestamp.Equal(&b.CreationTimestamp) {
		return a.CreationTimestamp.Before(&b.CreationTimestamp)
	}
	return a.Name < b.Name
}

// record writes the claim names to the pod's status. It repeats recorded names, because server-side
// apply removes omitted ones.
func (p *podPlan) record() {
	if len(p.found) == 0 {
		return
	}
	statuses := slices.Clone(p.found)
	for _, status := range p.Pod.Status.ResourceClaimStatuses {
		if !slices.ContainsFunc(p.found, func(found corev1.PodResourceClaimStatus) bool { return found.Name == status.Name }) {
			statuses = append(statuses, status)
		}
	}
	slices.SortFunc(statuses, func(a, b corev1.PodResourceClaimStatus) int { return strings.Compare(a.Name, b.Name) })
	p.actions = append(p.actions, RecordClaimNames{
		Pod:      Ref{Namespace: p.Pod.Namespace, Name: p.Pod.Name, UID: p.Pod.UID},
		Statuses: statuses,
	})
}
