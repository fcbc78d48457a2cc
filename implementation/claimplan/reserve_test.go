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
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	resourceapi "k8s.io/api/resource/v1"
	schedulingapi "k8s.io/api/scheduling/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/implementation/claimplan"
)

func TestReserveForPodsWithoutScheduler(t *testing.T) {
	bound := pod("web", withClaim("gpu", "shared"), onNode)
	reserve := claimplan.Reserve{Claim: ref("shared"), Consumer: consumer(bound)}
	for name, tc := range map[string]struct {
		claim *resourceapi.ResourceClaim
		want  []claimplan.Action
	}{
		"allocated":               {claim("shared", allocated), []claimplan.Action{reserve}},
		"allocated, in use":       {claim("shared", allocated, reservedFor(pod("other"))), []claimplan.Action{reserve}},
		"not allocated":           {claim("shared"), nil},
		"reserved already":        {claim("shared", allocated, reservedFor(bound)), nil},
		"being deleted":           {claim("shared", allocated, dying), nil},
		"claim is not there":      {claim("other", allocated), nil},
		"reserved for others too": {claim("shared", allocated, reservedForOther), []claimplan.Action{reserve}},
	} {
		t.Run(name, func(t *testing.T) {
			check(t, claimplan.PlanPod(claimplan.PodView{Pod: bound, Claims: claims(tc.claim)}), tc.want...)
		})
	}
}

func TestSchedulerReservesForItsPods(t *testing.T) {
	check(t, claimplan.PlanPod(claimplan.PodView{Pod: pod("web", withClaim("gpu", "shared")), Claims: claims(claim("shared", allocated))}))
}

func TestReserveGeneratedClaim(t *testing.T) {
	bound := pod("web", withTemplate("gpu", "tmpl"), recorded("gpu", "web-gpu-x"), onNode)
	check(t, claimplan.PlanPod(claimplan.PodView{Pod: bound, Claims: claims(claim("web-gpu-x", allocated, madeFor(bound, "gpu")))}),
		claimplan.Reserve{Claim: ref("web-gpu-x"), Consumer: consumer(bound)})

	stolen := claim("web-gpu-x", allocated, madeFor(pod("thief"), "gpu"))
	again := claim("web-gpu-y", allocated, madeFor(bound, "gpu"))
	plan := claimplan.PlanPod(claimplan.PodView{Pod: bound, Live: bound, Verified: true, Claims: claims(stolen, again)})
	if _, ok := plan[0].(claimplan.RecordClaimNames); !ok || len(plan) != 1 {
		t.Errorf("a claim of somebody else must not be reserved, got %v", plan)
	}
}

func TestClaimThatTwoEntriesNameIsReservedOnce(t *testing.T) {
	bound := pod("web", withClaim("a", "shared"), withClaim("b", "shared"), onNode)
	check(t, claimplan.PlanPod(claimplan.PodView{Pod: bound, Claims: claims(claim("shared", allocated))}),
		claimplan.Reserve{Claim: ref("shared"), Consumer: consumer(bound)})
}

func TestFullClaimIsNotTriedAgain(t *testing.T) {
	full := claim("shared", allocated)
	for i := range resourceapi.ResourceClaimReservedForMaxSize {
		reservedFor(pod(fmt.Sprintf("pod-%d", i)))(full)
	}
	check(t, claimplan.PlanPod(claimplan.PodView{Pod: pod("web", withClaim("gpu", "shared"), onNode), Claims: claims(full)}),
		failed{err: "reserve claim ns/shared for pod web: it is reserved for 256 consumers already"})
}

func TestClaimOfPodGroupIsNotReserved(t *testing.T) {
	group := &schedulingapi.PodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "team", UID: "team-uid"}}
	group.Spec.ResourceClaims = []schedulingapi.PodGroupResourceClaim{{Name: "gpu", ResourceClaimName: ptr.To("shared")}}
	check(t, claimplan.PlanPod(claimplan.PodView{Pod: pod("web", withClaim("gpu", "shared"), onNode, inGroup("team")), PodGroup: group,
		Claims: claims(claim("shared", allocated))}))
}

func TestReserveApply(t *testing.T) {
	before := claim("shared", allocated, reservedForOther)
	after := claimplan.Reserve{Claim: ref("shared"), Consumer: consumer(pod("web"))}.Apply(before)
	if diff := cmp.Diff(claim("shared", allocated, reservedForOther, reservedFor(pod("web"))), after); diff != "" {
		t.Errorf("wrong claim:\n%s", diff)
	}
	if len(before.Status.ReservedFor) != 1 {
		t.Error("the claim from the cache was changed")
	}
}
