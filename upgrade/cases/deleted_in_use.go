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

package cases

import (
	"fmt"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/upgrade/path"
)

// DeletedInUse has claims being deleted during each step: one in use by a pod, and one never allocated, kept by a
// finalizer, with a pod waiting for it. The latter gets no allocation and goes with its finalizer. The device is
// allocated to another claim only after the first claim is gone.
var DeletedInUse = Case{
	Meta: spec.Meta{
		ID:       "upgrade/deleted-in-use",
		Checks:   "A claim deleted while in use stays allocated for its pod over a step, and is deleted with the pod.",
		Requires: []spec.RequirementID{"kep-4381/deleted-claim-in-use-stays", "kep-4381/deleted-claim-not-allocated", "kep-4381/pod-waits-for-deallocation"},
		Needs:    spec.Needs{Profile: profiles.OneDevice()},
	},
	Before: func(t *harness.T, n *Notes) {
		t.CreateClass(nil)
		makeDeleted(t, n)
	},
	After: func(t *harness.T, n *Notes, step path.Step) {
		if n.unchanged(t); concerns(t, step) {
			endDeleted(t, n)
		}
	},
	Anew: func(t *harness.T, n *Notes, step path.Step) {
		if concerns(t, step) {
			makeDeleted(t, n)
		}
	},
	Gone: endDeleted,
}

// deletedNames returns the names of a round: a pod and its claim, deleted in use; a later pod for
// this claim; a claim with a finalizer and a pod for it; a pod and its claim waiting for the
// device.
func deletedNames(n *Notes) (used, late, kept, next string) {
	return fmt.Sprintf("used-%d", n.Round), fmt.Sprintf("late-%d", n.Round), fmt.Sprintf("kept-%d", n.Round), fmt.Sprintf("next-%d", n.Round)
}

func makeDeleted(t *harness.T, n *Notes) {
	n.Round++
	used, late, kept, next := deletedNames(n)
	t.Create(objects.Claim(used, one(t.DriverName())))
	t.RunPod(objects.Pod(used, t.Image, used))
	n.note(t, used, used)
	keeping := objects.Claim(kept, one(t.DriverName()))
	keeping.Finalizers = []string{"example.com/kept"}
	t.Create(keeping)
	deleteClaim(t, used)
	deleteClaim(t, kept)
	t.Create(objects.Pod(late, t.Image, used), objects.Pod(kept, t.Image, kept), objects.Claim(next, one(t.DriverName())), objects.Pod(next, t.Image, next))
	t.WaitUnschedulable(next, "cannot allocate all claims")
}

func endDeleted(t *harness.T, n *Notes) {
	used, late, kept, next := deletedNames(n)
	awaitActed(t)
	pod := t.WaitRunning(used)
	claim := t.Claim(used)
	t.Expect(claim.DeletionTimestamp).NotTo(gomega.BeNil(), "deletion of claim %s", used)
	t.Expect(claim.Finalizers).To(gomega.ContainElement(resourceapi.Finalizer), "finalizers of claim %s", used)
	t.Expect(consumersOf(claim)).To(gomega.ConsistOf(pod.UID), "consumers of claim %s", used)
	t.WaitUnschedulable(next, "cannot allocate all claims")
	simdriver.Of(t).ExpectCalls(spec.Unprepare, used, 0, "while its pod runs")

	t.RemovePod(used)
	awaitUnprepared(t, used)
	t.WaitClaimGone(used)
	n.forget(used, used)
	t.WaitRunning(next)
	t.Expect(t.Claim(kept).Status).To(gomega.Equal(resourceapi.ResourceClaimStatus{}), "status of claim %s, which is being deleted", kept)
	_, err := t.Client.ResourceV1().ResourceClaims(t.Namespace).Patch(t.Context(), kept, types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
	t.NoError(err, "let claim %s go", kept)
	t.WaitClaimGone(kept)
	for _, name := range []string{late, kept} {
		waiting := t.PodNow(name)
		t.Expect(waiting.Spec.NodeName).To(gomega.BeEmpty(), "node of pod %s, whose claim was being deleted", name)
		t.RemovePod(name)
	}
	end(t, next)
}

// consumersOf returns the UIDs a claim is reserved for.
func consumersOf(claim *resourceapi.ResourceClaim) (all []types.UID) {
	for _, consumer := range claim.Status.ReservedFor {
		all = append(all, consumer.UID)
	}
	return all
}
