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
	"slices"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
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

// Reservations has four pods share a claim, deletes two right before a step and the others after
// it.
var Reservations = Case{
	Meta: spec.Meta{
		ID:       "upgrade/reservations",
		Checks:   "Reservations of pods deleted before a step are removed, and the claim is released after the remaining pods.",
		Requires: []spec.RequirementID{"kep-4381/reservation-removed", "kep-4381/in-use-means-reserved", "kep-4381/share-between-pods", "kep-4381/unprepare-after-last", "kep-4381/deallocate-after-last"},
		Needs:    spec.Needs{Profile: profiles.OneDevice()},
	},
	Before: func(t *harness.T, n *Notes) {
		t.CreateClass(nil)
		reserve(t, n)
	},
	After: func(t *harness.T, n *Notes, step path.Step) {
		if n.unchanged(t); concerns(t, step) {
			release(t, n)
		}
	},
	Anew: func(t *harness.T, n *Notes, step path.Step) {
		if concerns(t, step) {
			reserve(t, n)
		}
	},
	Gone: release,
}

// sharers returns the pods of a round: two leaving first, and two staying.
func sharers(n *Notes) (leave, stay []string) {
	for i := range 2 {
		leave = append(leave, fmt.Sprintf("leaves-%d-%d", n.Round, i))
		stay = append(stay, fmt.Sprintf("stays-%d-%d", n.Round, i))
	}
	return leave, stay
}

func sharedOf(n *Notes) string { return fmt.Sprintf("shared-%d", n.Round) }

// reserve runs four pods with a shared claim, and deletes two of them without waiting.
func reserve(t *harness.T, n *Notes) {
	n.Round++
	leave, stay := sharers(n)
	t.Create(objects.Claim(sharedOf(n), one(t.DriverName())))
	for _, name := range slices.Concat(leave, stay) {
		t.Create(objects.Pod(name, t.Image, sharedOf(n)))
	}
	var all []types.UID
	for _, name := range slices.Concat(leave, stay) {
		all = append(all, t.WaitRunning(name).UID)
	}
	t.Expect(consumersOf(t.Claim(sharedOf(n)))).To(gomega.ConsistOf(all), "consumers of claim %s", sharedOf(n))
	for _, name := range stay {
		n.note(t, name, sharedOf(n))
	}
	deleteSoon(t, leave)
}

// release checks the claim's reservations, and deletes the remaining pods and the claim.
func release(t *harness.T, n *Notes) {
	leave, stay := sharers(n)
	for _, name := range leave {
		t.WaitPodGone(name)
	}
	var left []types.UID
	for _, name := range stay {
		left = append(left, n.Pods[name].UID)
	}
	claim := t.WaitClaim(sharedOf(n), "reserved for two", func(c *resourceapi.ResourceClaim) bool { return len(c.Status.ReservedFor) <= len(left) })
	t.Expect(consumersOf(claim)).To(gomega.ConsistOf(left), "consumers of claim %s", sharedOf(n))
	simdriver.Of(t).ExpectCalls(spec.Unprepare, sharedOf(n), 0, "while pods use it")
	deleteSoon(t, stay)
	for _, name := range stay {
		t.WaitPodGone(name)
		n.forget(name, sharedOf(n))
	}
	awaitUnprepared(t, sharedOf(n))
	t.WaitDeallocated(sharedOf(n))
	simdriver.Of(t).ExpectCalls(spec.Unprepare, sharedOf(n), 1, "")
	deleteClaim(t, sharedOf(n))
}

func deleteSoon(t *harness.T, names []string) {
	for _, name := range names {
		t.Delete(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: t.Namespace}})
	}
}
