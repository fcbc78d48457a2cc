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

package simulation_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/implementation/simulation"
)

// TestNothingCheaperServesAsMany tries all cheaper counts if an answer claims to be the cheapest.
func TestNothingCheaperServesAsMany(t *testing.T) {
	var exact, tried int
	for number := *first; number < *first+*problems; number++ {
		if n, ok := cheaperTried(t, number); ok {
			exact, tried = exact+1, tried+n
		}
	}
	if exact == 0 || tried == 0 {
		t.Errorf("%d answers are exact, %d cheaper ones were tried", exact, tried)
	}
	t.Logf("%d answers of %d are exact, %d cheaper ones were tried", exact, *problems, tried)
}

// cheaperTried returns the number of cheaper counts tried for a problem, and whether its answer claims
// to be the cheapest. It stops background work of the plugins.
func cheaperTried(t *testing.T, number uint64) (tried int, exact bool) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	objects, groups := randomCluster(*seed, number)
	s, err := simulation.New(ctx, fromTemplates(objects), simulation.Config{})
	if err != nil {
		t.Fatal(err)
	}
	growth, err := s.Grow(ctx, s.Pending(), groups)
	if err != nil {
		t.Fatalf("problem %d: %v", number, err)
	}
	if growth.Bound != growth.Cost {
		return 0, false
	}
	for counts := range cheaperThan(growth.Cost, groups) {
		placements, err := onCounts(t, s, groups, counts)
		if errors.Is(err, errNoSuchNode) {
			continue
		}
		if err != nil {
			t.Fatalf("problem %d, counts %v: %v", number, counts, err)
		}
		tried++
		if len((&simulation.Growth{Placements: placements}).Unserved()) <= len(growth.Unserved()) {
			t.Errorf("problem %d: counts %v serve as many pods as %v", number, counts, growth.Counts)
		}
	}
	return tried, true
}

// cheaperThan yields all cheaper counts within the groups' limits.
func cheaperThan(cost int64, groups []*simulation.Group) func(func([]int) bool) {
	return func(yield func([]int) bool) {
		counts := make([]int, len(groups))
		for {
			var sum int64
			for i, n := range counts {
				sum += int64(n) * groups[i].Cost
			}
			if sum < cost && !yield(slices.Clone(counts)) {
				return
			}
			i := 0
			for ; i < len(counts) && counts[i] == groups[i].Max; i++ {
				counts[i] = 0
			}
			if i == len(counts) {
				return
			}
			counts[i]++
		}
	}
}

// fromTemplates makes pods the owners of their claims, so pods with equal claims are of one kind, and
// adds two more of each.
func fromTemplates(objects simulation.Objects) simulation.Objects {
	made := objects
	made.Pods = nil
	for i, pod := range objects.Pods {
		name := *pod.Spec.ResourceClaims[0].ResourceClaimName
		of := slices.IndexFunc(objects.Claims, func(c *resourceapi.ResourceClaim) bool { return c.Name == name && c.Namespace == pod.Namespace })
		for copies := range 3 {
			p, claim := pod.DeepCopy(), objects.Claims[of].DeepCopy()
			p.Name = fmt.Sprintf("pod-%02d-%d", i, copies)
			p.UID, claim.Name = types.UID(p.Name), p.Name+"-claim"
			claim.UID = types.UID(claim.Name)
			claim.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: p.Name, UID: p.UID, Controller: ptr.To(true)}}
			p.Spec.ResourceClaims = []v1.PodResourceClaim{{Name: "claim", ResourceClaimTemplateName: ptr.To("template")}}
			p.Status.ResourceClaimStatuses = []v1.PodResourceClaimStatus{{Name: "claim", ResourceClaimName: ptr.To(claim.Name)}}
			made.Pods, made.Claims = append(made.Pods, p), append(made.Claims, claim)
		}
	}
	return made
}
