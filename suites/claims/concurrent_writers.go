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
	"sync"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ConcurrentWriters has several schedulers allocate the same claims at the same time.
var ConcurrentWriters = harness.Case{Meta: spec.Meta{
	ID:       "claims/concurrent-writers",
	Checks:   "Of several concurrent allocations of a claim one succeeds; the others fail with a conflict and change nothing.",
	Requires: []spec.RequirementID{"kep-4381/concurrent-schedulers-one-wins", "kep-4381/allocated-means-allocation-set"},
	Needs:    spec.Needs{NoKubelet: true},
}, Run: func(t *harness.T) {
	const writers, rounds = 4, 4
	class := devices(t, t.Nodes[0], writers*rounds+rounds)
	for round := range rounds {
		name := fmt.Sprintf("claim-%d", round)
		before := objects.Claim(name, objects.Request("req", class))
		t.Create(before)
		meanwhile := round%2 == 0
		if meanwhile {
			t.Create(objects.Pod(name, t.Image, name))
		}
		errs := allocateAtOnce(t, before, round*writers, writers)
		won := -1
		for i, err := range errs {
			if err == nil {
				t.Expect(won).To(gomega.Equal(-1), "another successful writer next to writer %d", i)
				won = i
				continue
			}
			t.Expect(apierrors.IsConflict(err)).To(gomega.BeTrue(), "response to a late writer, to be a conflict: %v", err)
		}
		if !meanwhile {
			t.Expect(won).NotTo(gomega.Equal(-1), "a successful writer without a scheduler")
			t.Create(objects.Pod(name, t.Image, name))
		}
		pod := t.WaitScheduled(name)
		claim := t.Claim(name)
		t.Expect(claim).To(matchers.BeReservedFor(pod), "consumers of claim %s", name)
		if won >= 0 {
			t.Expect(claim).To(matchers.HaveDevices(fmt.Sprintf("device-%d", round*writers+won)), "the device of the successful writer")
		}
	}
}}

// allocateAtOnce writes allocations of one version of a claim, with devices from first on, and returns the answers.
func allocateAtOnce(t *harness.T, claim *resourceapi.ResourceClaim, first, writers int) []error {
	t.Step("allocate claim %s with %d devices at once", claim.Name, writers)
	errs := make([]error, writers)
	var wait sync.WaitGroup
	for i := range writers {
		wait.Go(func() { errs[i] = allocate(t.Context(), t, claim.DeepCopy(), fmt.Sprintf("device-%d", first+i)) })
	}
	wait.Wait()
	return errs
}

func allocate(ctx context.Context, t *harness.T, claim *resourceapi.ResourceClaim, device string) error {
	claim.Status.Allocation = allocation(t, device)
	_, err := t.Client.ResourceV1().ResourceClaims(t.Namespace).UpdateStatus(ctx, claim, metav1.UpdateOptions{})
	return err
}
