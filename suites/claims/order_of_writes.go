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

package claims

import (
	"context"
	"fmt"
	"strconv"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// OrderOfWrites follows all states of claims and pods while pods are scheduled and go.
var OrderOfWrites = harness.Case{Meta: spec.Meta{
	ID:     "claims/order-of-writes",
	Checks: "An allocated claim has the finalizer, only allocated claims are reserved, and a pod is bound after both.",
	Requires: []spec.RequirementID{
		"kep-4381/finalizer-name", "kep-4381/finalizer-before-allocation", "kep-4381/allocated-means-allocation-set", "kep-4381/allocated-before-bound",
	},
	Needs: spec.Needs{NoKubelet: true},
}, Run: func(t *harness.T) {
	const pods = 4
	class := devices(t, t.Nodes[0], 2*pods)
	claims, podsAPI := t.Client.ResourceV1().ResourceClaims(t.Namespace), t.Client.CoreV1().Pods(t.Namespace)
	seenClaims, err := claims.Watch(t.Context(), metav1.ListOptions{})
	t.NoError(err, "watch the claims")
	defer seenClaims.Stop()
	seenPods, err := podsAPI.Watch(t.Context(), metav1.ListOptions{})
	t.NoError(err, "watch the pods")
	defer seenPods.Stop()
	for i := range pods {
		first, second := fmt.Sprintf("first-%d", i), fmt.Sprintf("second-%d", i)
		t.Create(objects.Claim(first, objects.Request("req", class)), objects.Claim(second, objects.Request("req", class)),
			objects.Pod(fmt.Sprintf("pod-%d", i), t.Image, first, second))
	}

	t.Step("read each state of the pods until all are bound, and of the claims until those are reserved")
	bound := map[types.UID]uint64{}
	next(t, seenPods, func(pod *corev1.Pod) bool {
		if pod.Spec.NodeName != "" && bound[pod.UID] == 0 {
			bound[pod.UID] = version(t, pod)
		}
		return len(bound) == pods
	})
	reserved := sets.New[types.UID]()
	next(t, seenClaims, func(claim *resourceapi.ResourceClaim) bool {
		inOrder(t, claim)
		if len(claim.Status.ReservedFor) == 1 {
			reserved.Insert(claim.UID)
			t.Expect(version(t, claim)).To(gomega.BeNumerically("<", bound[claim.Status.ReservedFor[0].UID]), "version of claim %s when it is reserved, before the pod is bound", claim.Name)
		}
		return len(reserved) == 2*pods
	})
	for i := range pods {
		t.RemovePod(fmt.Sprintf("pod-%d", i))
	}
	free := sets.New[types.UID]()
	next(t, seenClaims, func(claim *resourceapi.ResourceClaim) bool {
		inOrder(t, claim)
		if len(claim.Finalizers) == 0 {
			free.Insert(claim.UID)
		}
		return len(free) == 2*pods
	})
}}

// inOrder fails the case unless an allocated claim has the finalizer, and a reserved one an allocation.
func inOrder(t *harness.T, claim *resourceapi.ResourceClaim) {
	if claim.Status.Allocation != nil {
		t.Expect(claim.Finalizers).To(gomega.Equal([]string{"resource.kubernetes.io/delete-protection"}), "finalizers of allocated claim %s", claim.Name)
	}
	if len(claim.Status.ReservedFor) > 0 {
		t.Expect(claim.Status.Allocation).NotTo(gomega.BeNil(), "allocation of reserved claim %s", claim.Name)
	}
}

// next shows states of objects from a watch until done.
func next[O runtime.Object](t *harness.T, from watch.Interface, done func(O) bool) {
	for {
		select {
		case <-t.Context().Done():
			t.Fatalf("wait for the next state: %v", context.Cause(t.Context()))
		case event, open := <-from.ResultChan():
			object, ok := event.Object.(O)
			if !open || !ok {
				t.Fatalf("read the next state: the watch ended with %v", event.Object)
			}
			if done(object) {
				return
			}
		}
	}
}

// version orders the states of all objects stored by the API server.
func version(t *harness.T, object metav1.Object) uint64 {
	number, err := strconv.ParseUint(object.GetResourceVersion(), 10, 64)
	t.NoError(err, "read the version of %s", object.GetName())
	return number
}
