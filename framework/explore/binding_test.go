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

package explore

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/problem"
)

// binding returns a trial with an allocated claim and its pod.
func binding(t *testing.T, failures []string, node string) *trial {
	t.Helper()
	claim := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "x7x-claim", ResourceVersion: "1"}}
	claim.Status.Allocation = &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{Results: []resourceapi.DeviceRequestAllocationResult{
		{Driver: "d", Pool: "p", Device: "plain"},
		{Driver: "d", Pool: "p", Device: "dev", ShareID: ptr.To(types.UID("share")), BindingConditions: []string{"attached", "powered"}, BindingFailureConditions: failures},
	}}}
	pod := podObject(problem.Pod{Name: "x7x-pod", Claims: []string{"x7x-claim"}}, "x7x", "ns")
	pod.Spec.NodeName = node
	return &trial{
		client: fake.NewClientset(claim, pod), id: "x7x", namespace: namespaceObject("ns"), problem: &problem.Problem{}, binder: newBinder(),
	}
}

// look calls bind, and returns the conditions that are true.
func (t *trial) look(test *testing.T) []string {
	test.Helper()
	if err := t.bind(test.Context()); err != nil {
		test.Fatal(err)
	}
	var all []string
	for _, d := range t.stored(test).Status.Devices {
		for _, c := range d.Conditions {
			if meta.IsStatusConditionTrue(d.Conditions, c.Type) && *d.ShareID == "share" {
				all = append(all, d.Device+" "+c.Type)
			}
		}
	}
	return all
}

func (t *trial) stored(test *testing.T) *resourceapi.ResourceClaim {
	test.Helper()
	claim, err := t.client.ResourceV1().ResourceClaims("ns").Get(test.Context(), "x7x-claim", metav1.GetOptions{})
	if err != nil {
		test.Fatal(err)
	}
	return claim
}

func TestBindingConditions(t *testing.T) {
	tr := binding(t, []string{"failed"}, "")
	if got := tr.look(t); got != nil {
		t.Errorf("conditions %v of a claim just allocated", got)
	}
	if got := tr.look(t); !slices.Equal(got, []string{"dev attached", "dev powered"}) {
		t.Errorf("conditions %v", got)
	}
	if len(tr.binder.failed)+len(tr.binder.unprepared) > 0 {
		t.Errorf("%+v", tr.binder)
	}
}

func TestFirstBindingFails(t *testing.T) {
	tr := binding(t, []string{problem.FailsFirst}, "")
	for range 4 { // A failed allocation keeps its conditions.
		tr.look(t)
	}
	if got := tr.look(t); !slices.Equal(got, []string{"dev " + problem.FailsFirst}) {
		t.Errorf("conditions %v of the first allocation", got)
	}
	again := tr.stored(t)
	again.Status.Devices, again.ResourceVersion = nil, "2"
	if _, err := tr.client.ResourceV1().ResourceClaims("ns").UpdateStatus(t.Context(), again, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	tr.look(t)
	if got := tr.look(t); !slices.Equal(got, []string{"dev attached", "dev powered"}) {
		t.Errorf("conditions %v of the second allocation", got)
	}
}

func TestBoundBeforeConditions(t *testing.T) {
	tr := binding(t, []string{"failed"}, "node")
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "x7x-pod"}, Spec: corev1.PodSpec{NodeName: "node"}}
	tr.look(t)
	tr.look(t)
	if got := tr.unprepared(pod, nil); got != "x7x-claim" {
		t.Errorf("a pod bound before the conditions of claim %q", got)
	}
	pod.Name = "x7x-later"
	if got := tr.unprepared(pod, nil); got != "" {
		t.Errorf("another pod bound before the conditions of claim %q", got)
	}
}

// An initial allocation has timed out: its driver no longer responds.
func TestBindingTimeout(t *testing.T) {
	tr := binding(t, []string{"failed"}, "node")
	tr.problem.Allocated = []resourceapi.ResourceClaim{*tr.stored(t)}
	tr.look(t)
	if got := tr.look(t); got != nil {
		t.Errorf("conditions %v", got)
	}
	pod, err := tr.client.CoreV1().Pods("ns").Get(t.Context(), "x7x-pod", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := tr.unprepared(pod, []resourceapi.ResourceClaim{*tr.stored(t)}); got != "x7x-claim" {
		t.Errorf("a pod bound with claim %q after the timeout", got)
	}
}

// An attempt that fails after the allocation reserves the claim again, so the trial never ended.
func TestAllocationsWithoutReservations(t *testing.T) {
	tr := binding(t, []string{"failed"}, "")
	tr.problem.Claims = []resourceapi.ResourceClaim{*tr.stored(t)}
	before, err := tr.allocations(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	claim := tr.stored(t)
	claim.ResourceVersion = "2"
	claim.Status.ReservedFor = []resourceapi.ResourceClaimConsumerReference{{Resource: "pods", Name: "x7x-pod"}}
	update := func() string {
		if _, err := tr.client.ResourceV1().ResourceClaims("ns").UpdateStatus(t.Context(), claim, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		now, err := tr.allocations(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return now
	}
	if now := update(); now != before {
		t.Errorf("after a reservation: %s, before: %s", now, before)
	}
	claim.Status.Allocation.AllocationTimestamp = ptr.To(metav1.Unix(1_700_000_000, 0))
	if now := update(); now == before {
		t.Errorf("after another allocation: %s", now)
	}
}
