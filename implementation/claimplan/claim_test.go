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
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/dra-conformance/dratest/implementation/claimplan"
)

func known(pods ...*corev1.Pod) map[string]*corev1.Pod {
	m := make(map[string]*corev1.Pod)
	for _, p := range pods {
		m[p.Name] = p
	}
	return m
}

func dropped(why string, pods ...*corev1.Pod) []claimplan.Dropped {
	var all []claimplan.Dropped
	for _, p := range pods {
		all = append(all, claimplan.Dropped{Consumer: consumer(p), Why: why})
	}
	return all
}

const (
	wasDeleted  = "the pod was deleted"
	willNotRun  = "the pod will not run anymore"
	isGone      = "the pod is gone"
	wasReplaced = "the pod was replaced by another one with the same name"
)

// The state of a pod decides whether it keeps its reservation.
func TestReservationOfPod(t *testing.T) {
	web := pod("web")
	gone := map[string]*corev1.Pod{"web": nil}
	for name, tc := range map[string]struct {
		view   claimplan.ClaimView
		why    string
		verify bool
	}{
		"pending":                            {view: claimplan.ClaimView{Pods: known(web)}},
		"running":                            {view: claimplan.ClaimView{Pods: known(pod("web", onNode, phase(corev1.PodRunning)))}},
		"terminating on its node":            {view: claimplan.ClaimView{Pods: known(pod("web", onNode, beingDeleted))}},
		"succeeded":                          {view: claimplan.ClaimView{Pods: known(pod("web", onNode, phase(corev1.PodSucceeded)))}, why: willNotRun},
		"failed":                             {view: claimplan.ClaimView{Pods: known(pod("web", onNode, phase(corev1.PodFailed)))}, why: willNotRun},
		"deleted before it was scheduled":    {view: claimplan.ClaimView{Pods: known(pod("web", beingDeleted))}, why: willNotRun},
		"deletion was seen":                  {view: claimplan.ClaimView{Deleted: sets.New(web.UID)}, why: wasDeleted},
		"deletion was seen, new pod":         {view: claimplan.ClaimView{Deleted: sets.New(web.UID), Pods: known(pod("web", uid("new")))}, why: wasDeleted},
		"not in the cache":                   {verify: true},
		"not in the cache, not in the API":   {view: claimplan.ClaimView{Live: gone}, why: isGone},
		"not in the cache, in the API":       {view: claimplan.ClaimView{Live: known(web)}},
		"cache has another one":              {view: claimplan.ClaimView{Pods: known(pod("web", uid("old")))}, verify: true},
		"cache has the previous one":         {view: claimplan.ClaimView{Pods: known(pod("web", uid("old"))), Live: known(web)}},
		"replaced":                           {view: claimplan.ClaimView{Live: known(pod("web", uid("new")))}, why: wasReplaced},
		"cache is stale, finished in theAPI": {view: claimplan.ClaimView{Pods: known(web), Live: known(pod("web", phase(corev1.PodFailed)))}, why: willNotRun},
	} {
		t.Run(name, func(t *testing.T) {
			tc.view.Claim = claim("shared", allocated, reservedFor(web), reservedForOther)
			var want []claimplan.Action
			switch {
			case tc.verify:
				want = append(want, claimplan.VerifyPod{Namespace: namespace, Name: "web"})
			case tc.why != "":
				want = append(want, claimplan.Release{Claim: ref("shared"), Dropped: dropped(tc.why, web)})
			}
			check(t, claimplan.PlanClaim(tc.view), want...)
		})
	}
}

func TestReleaseClaims(t *testing.T) {
	a, b := pod("a", onNode), pod("b", phase(corev1.PodSucceeded))
	pods := known(a, b)
	deallocate := claimplan.Release{Claim: ref("shared"), Dropped: dropped(willNotRun, b), Deallocate: true}
	for name, tc := range map[string]struct {
		claim *resourceapi.ResourceClaim
		want  []claimplan.Action
	}{
		"not used at all":           {claim: claim("shared")},
		"one user is left":          {claim("shared", allocated, reservedFor(a, b)), []claimplan.Action{claimplan.Release{Claim: ref("shared"), Dropped: dropped(willNotRun, b)}}},
		"the last user is done":     {claim("shared", allocated, reservedFor(b)), []claimplan.Action{deallocate, claimplan.RemoveFinalizer{Claim: ref("shared")}}},
		"allocated, never reserved": {claim: claim("shared", allocated)},
		"about to be allocated":     {claim: claim("shared", protected)},
		"only other consumers":      {claim: claim("shared", allocated, reservedForOther)},
		"allocated by another driver of allocations": {claim("shared", allocatedOnly, reservedFor(b)),
			[]claimplan.Action{claimplan.Release{Claim: ref("shared"), Dropped: dropped(willNotRun, b)}}},
		"reserved without allocation": {claim("shared", protected, reservedFor(b)),
			[]claimplan.Action{claimplan.Release{Claim: ref("shared"), Dropped: dropped(willNotRun, b)}, claimplan.RemoveFinalizer{Claim: ref("shared")}}},
		"dying, in use":        {claim: claim("shared", allocated, dying, reservedFor(a))},
		"dying, other user":    {claim: claim("shared", allocated, dying, reservedForOther)},
		"dying, last user":     {claim("shared", allocated, dying, reservedFor(b)), []claimplan.Action{deallocate, claimplan.RemoveFinalizer{Claim: ref("shared")}}},
		"dying, allocated":     {claim("shared", allocated, dying), []claimplan.Action{claimplan.Release{Claim: ref("shared"), Deallocate: true}, claimplan.RemoveFinalizer{Claim: ref("shared")}}},
		"dying, not allocated": {claim("shared", protected, dying), []claimplan.Action{claimplan.RemoveFinalizer{Claim: ref("shared")}}},
		"dying, not protected": {claim: claim("shared", allocatedOnly, dying)},
	} {
		t.Run(name, func(t *testing.T) {
			check(t, claimplan.PlanClaim(claimplan.ClaimView{Claim: tc.claim, Pods: pods}), tc.want...)
		})
	}
}

// A claim generated for a pod is deleted when the pod has finished, whoever made it.
func TestDeleteGeneratedClaims(t *testing.T) {
	web, done := pod("web", onNode), pod("web", onNode, phase(corev1.PodSucceeded))
	next := pod("web", uid("next"))
	byScheduler := func(c *resourceapi.ResourceClaim) {
		c.Annotations = map[string]string{resourceapi.ExtendedResourceClaimAnnotation: "true"}
	}
	remove := func(why string) []claimplan.Action {
		return []claimplan.Action{claimplan.DeleteClaim{Claim: ref("gen"), Why: why}}
	}
	for name, tc := range map[string]struct {
		claim *resourceapi.ResourceClaim
		view  claimplan.ClaimView
		want  []claimplan.Action
	}{
		"pod needs it":           {claim: claim("gen", madeFor(web, "gpu")), view: claimplan.ClaimView{Pods: known(web)}},
		"pod is done":            {claim("gen", madeFor(web, "gpu")), claimplan.ClaimView{Pods: known(done)}, remove(willNotRun)},
		"pod is done, dying":     {claim: claim("gen", madeFor(web, "gpu"), dying), view: claimplan.ClaimView{Pods: known(done)}},
		"for extended resources": {claim("gen", ownedBy(web), byScheduler), claimplan.ClaimView{Pods: known(done)}, remove(willNotRun)},
		"somebody else uses it":  {claim: claim("gen", madeFor(web, "gpu"), allocated, reservedForOther), view: claimplan.ClaimView{Pods: known(done)}},
		"made by a user":         {claim: claim("gen"), view: claimplan.ClaimView{Pods: known(done)}},
		"pod is not in cache":    {claim: claim("gen", madeFor(web, "gpu"))},
		"pod is gone":            {claim: claim("gen", madeFor(web, "gpu")), view: claimplan.ClaimView{Live: map[string]*corev1.Pod{"web": nil}}},
		"another one in cache":   {claim("gen", madeFor(web, "gpu")), claimplan.ClaimView{Pods: known(next)}, []claimplan.Action{claimplan.VerifyPod{Namespace: namespace, Name: "web"}}},
		"cache was old":          {claim: claim("gen", madeFor(web, "gpu")), view: claimplan.ClaimView{Pods: known(next), Live: known(web)}},
		"replaced":               {claim("gen", madeFor(web, "gpu")), claimplan.ClaimView{Pods: known(next), Live: known(next)}, remove(wasReplaced)},
		"deletion was seen":      {claim("gen", madeFor(web, "gpu")), claimplan.ClaimView{Pods: known(next), Deleted: sets.New(web.UID)}, remove(wasDeleted)},
		"last user and owner": {claim("gen", madeFor(web, "gpu"), allocated, reservedFor(web)), claimplan.ClaimView{Pods: known(done)}, append([]claimplan.Action{
			claimplan.Release{Claim: ref("gen"), Dropped: dropped(willNotRun, web), Deallocate: true},
			claimplan.RemoveFinalizer{Claim: ref("gen")}}, remove(willNotRun)...)},
	} {
		t.Run(name, func(t *testing.T) {
			tc.view.Claim = tc.claim
			check(t, claimplan.PlanClaim(tc.view), tc.want...)
		})
	}
}

// A plan requests all lookups at once, each once.
func TestLookUpsAreCollected(t *testing.T) {
	a, b := pod("a"), pod("b")
	check(t, claimplan.PlanClaim(claimplan.ClaimView{Claim: claim("shared", allocated, madeFor(a, "gpu"), reservedFor(b, a))}),
		claimplan.VerifyPod{Namespace: namespace, Name: "a"}, claimplan.VerifyPod{Namespace: namespace, Name: "b"})
}

func TestReleaseApply(t *testing.T) {
	a, b := pod("a"), pod("b")
	before := claim("shared", allocated, reservedFor(a, b), reservedForOther)
	kept := before.DeepCopy()
	release := claimplan.Release{Claim: ref("shared"), Dropped: dropped(isGone, a, b)}
	if diff := cmp.Diff(claim("shared", allocated, reservedForOther), release.Apply(before)); diff != "" {
		t.Errorf("wrong claim:\n%s", diff)
	}
	release.Deallocate = true
	after := release.Apply(before)
	if after.Status.Allocation != nil || after.ResourceVersion != "7" {
		t.Errorf("the allocation must go and the resourceVersion must stay: %v", after)
	}
	after.Finalizers = []string{"mine", resourceapi.Finalizer, "theirs"}
	if diff := cmp.Diff([]string{"mine", "theirs"}, claimplan.RemoveFinalizer{Claim: ref("shared")}.Apply(after).Finalizers); diff != "" {
		t.Errorf("wrong finalizers:\n%s", diff)
	}
	if diff := cmp.Diff(kept, before); diff != "" {
		t.Errorf("the claim from the cache was changed:\n%s", diff)
	}
}

func TestKeys(t *testing.T) {
	p := pod("web", withClaim("a", "shared"), withClaim("b", "shared"), withTemplate("c", "tmpl"), withTemplate("d", "tmpl"),
		withTemplate("e", "another"), recorded("c", "web-c-x"), notNeeded("e"), withExtended("ext"))
	for name, tc := range map[string]struct{ got, want any }{
		"claims":           {claimplan.ClaimNames(p), []string{"ext", "shared", "web-c-x"}},
		"templates":        {claimplan.TemplateNames(p), []string{"another", "tmpl"}},
		"pods":             {claimplan.PodNames(claim("c", reservedFor(pod("b"), pod("a")), reservedForOther, ownedBy(pod("b")))), []string{"a", "b"}},
		"with claims":      {claimplan.UsesClaims(pod("p", withClaim("a", "c"))), true},
		"with extended":    {claimplan.UsesClaims(pod("p", withExtended("c"))), true},
		"without":          {claimplan.UsesClaims(pod("p")), false},
		"no claims, names": {claimplan.ClaimNames(pod("p")), []string(nil)},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, tc.got); diff != "" {
				t.Errorf("wrong answer:\n%s", diff)
			}
		})
	}
	if owner, ok := claimplan.OwningPod(claim("c", ownedBy(p))); !ok || owner != (claimplan.Ref{Namespace: namespace, Name: "web", UID: types.UID("web-uid")}) {
		t.Errorf("wrong owner: %v", owner)
	}
}
