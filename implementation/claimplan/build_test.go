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

package claimplan_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/implementation/claimplan"
)

const namespace = "ns"

// pod returns a pod whose UID is its name plus "-uid".
func pod(name string, change ...func(*corev1.Pod)) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: types.UID(name + "-uid")}}
	p.Status.Phase = corev1.PodPending
	for _, f := range change {
		f(p)
	}
	return p
}

func uid(uid types.UID) func(*corev1.Pod)        { return func(p *corev1.Pod) { p.UID = uid } }
func phase(ph corev1.PodPhase) func(*corev1.Pod) { return func(p *corev1.Pod) { p.Status.Phase = ph } }
func onNode(p *corev1.Pod)                       { p.Spec.NodeName = "worker" }
func beingDeleted(p *corev1.Pod)                 { p.DeletionTimestamp = ptr.To(metav1.Unix(1, 0)) }

func withTemplate(entry, template string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.ResourceClaims = append(p.Spec.ResourceClaims, corev1.PodResourceClaim{Name: entry, ResourceClaimTemplateName: &template})
	}
}

func withClaim(entry, claim string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.ResourceClaims = append(p.Spec.ResourceClaims, corev1.PodResourceClaim{Name: entry, ResourceClaimName: &claim})
	}
}

func recorded(entry, claim string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Status.ResourceClaimStatuses = append(p.Status.ResourceClaimStatuses, status(entry, claim))
	}
}

func notNeeded(entry string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Status.ResourceClaimStatuses = append(p.Status.ResourceClaimStatuses, corev1.PodResourceClaimStatus{Name: entry})
	}
}

func withExtended(claim string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Status.ExtendedResourceClaimStatus = &corev1.PodExtendedResourceClaimStatus{ResourceClaimName: claim}
	}
}

func inGroup(group string) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Spec.SchedulingGroup = &corev1.PodSchedulingGroup{PodGroupName: &group} }
}

func status(entry, claim string) corev1.PodResourceClaimStatus {
	return corev1.PodResourceClaimStatus{Name: entry, ResourceClaimName: &claim}
}

func template(name string) *resourceapi.ResourceClaimTemplate {
	t := &resourceapi.ResourceClaimTemplate{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	t.Spec.Labels = map[string]string{"label": "l"}
	t.Spec.Annotations = map[string]string{"note": "n"}
	t.Spec.Spec.Devices.Requests = []resourceapi.DeviceRequest{{Name: "req"}}
	return t
}

// claim returns a claim whose UID is its name plus "-uid".
func claim(name string, change ...func(*resourceapi.ResourceClaim)) *resourceapi.ResourceClaim {
	c := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{
		Namespace: namespace, Name: name, UID: types.UID(name + "-uid"), ResourceVersion: "7"}}
	for _, f := range change {
		f(c)
	}
	return c
}

func ownedBy(p *corev1.Pod) func(*resourceapi.ResourceClaim) {
	return func(c *resourceapi.ResourceClaim) {
		c.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: p.Name, UID: p.UID, Controller: ptr.To(true)}}
	}
}

func madeFor(p *corev1.Pod, entry string) func(*resourceapi.ResourceClaim) {
	return func(c *resourceapi.ResourceClaim) {
		ownedBy(p)(c)
		c.Annotations = map[string]string{resourceapi.PodResourceClaimAnnotation: entry}
	}
}

func created(seconds int64) func(*resourceapi.ResourceClaim) {
	return func(c *resourceapi.ResourceClaim) { c.CreationTimestamp = metav1.Unix(seconds, 0) }
}

// allocated adds an allocation and finalizer, like the scheduler.
func allocated(c *resourceapi.ResourceClaim) {
	allocatedOnly(c)
	protected(c)
}

func allocatedOnly(c *resourceapi.ResourceClaim) {
	c.Status.Allocation = &resourceapi.AllocationResult{}
}
func protected(c *resourceapi.ResourceClaim) {
	c.Finalizers = append(c.Finalizers, resourceapi.Finalizer)
}
func dying(c *resourceapi.ResourceClaim) { c.DeletionTimestamp = ptr.To(metav1.Unix(1, 0)) }

func reservedFor(pods ...*corev1.Pod) func(*resourceapi.ResourceClaim) {
	return func(c *resourceapi.ResourceClaim) {
		for _, p := range pods {
			c.Status.ReservedFor = append(c.Status.ReservedFor, consumer(p))
		}
	}
}

func reservedForOther(c *resourceapi.ResourceClaim) {
	c.Status.ReservedFor = append(c.Status.ReservedFor, otherConsumer())
}

func otherConsumer() resourceapi.ResourceClaimConsumerReference {
	return resourceapi.ResourceClaimConsumerReference{APIGroup: "example.com", Resource: "pods", Name: "x", UID: "x-uid"}
}

func consumer(p *corev1.Pod) resourceapi.ResourceClaimConsumerReference {
	return resourceapi.ResourceClaimConsumerReference{Resource: "pods", Name: p.Name, UID: p.UID}
}

func ref(name string) claimplan.Ref {
	return claimplan.Ref{Namespace: namespace, Name: name, UID: types.UID(name + "-uid")}
}

// failed stands for a Fail with this error text.
type failed struct {
	claimplan.Action
	err, event string
	retry      bool
}

// check compares plans. Errors are compared by their text.
func check(t *testing.T, got []claimplan.Action, want ...claimplan.Action) {
	t.Helper()
	for i, action := range got {
		if fail, ok := action.(claimplan.Fail); ok {
			got[i] = failed{err: fail.Err.Error(), event: fail.Event, retry: fail.Retry}
		}
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(failed{})); diff != "" {
		t.Errorf("wrong plan (-want +got):\n%s", diff)
	}
}
