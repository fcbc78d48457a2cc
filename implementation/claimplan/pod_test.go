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
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	schedulingapi "k8s.io/api/scheduling/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/implementation/claimplan"
)

func templates(names ...string) []*resourceapi.ResourceClaimTemplate {
	var all []*resourceapi.ResourceClaimTemplate
	for _, name := range names {
		all = append(all, template(name))
	}
	return all
}

func claims(all ...*resourceapi.ResourceClaim) []*resourceapi.ResourceClaim { return all }

func TestClaimIsMadeFromTemplate(t *testing.T) {
	p := pod("web", withTemplate("gpu", "tmpl"))
	source := template("tmpl")
	check(t, claimplan.PlanPod(claimplan.PodView{Pod: p, Templates: []*resourceapi.ResourceClaimTemplate{source}}),
		claimplan.CreateClaim{PodClaim: "gpu", Claim: &resourceapi.ResourceClaim{
			ObjectMeta: metav1.ObjectMeta{
				Namespace:    namespace,
				GenerateName: "web-gpu-",
				Labels:       map[string]string{"label": "l"},
				Annotations:  map[string]string{"note": "n", "resource.kubernetes.io/pod-claim-name": "gpu"},
				OwnerReferences: []metav1.OwnerReference{{
					APIVersion: "v1", Kind: "Pod", Name: "web", UID: "web-uid", Controller: ptr.To(true)}},
			},
			Spec: resourceapi.ResourceClaimSpec{Devices: resourceapi.DeviceClaim{Requests: []resourceapi.DeviceRequest{{Name: "req"}}}},
		}})
	if diff := cmp.Diff(template("tmpl"), source); diff != "" {
		t.Errorf("the template from the cache was changed:\n%s", diff)
	}
}

func TestTemplateNeedsNoMetadata(t *testing.T) {
	bare := &resourceapi.ResourceClaimTemplate{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "tmpl"}}
	plan := claimplan.PlanPod(claimplan.PodView{Pod: pod("web", withTemplate("gpu", "tmpl")), Templates: []*resourceapi.ResourceClaimTemplate{bare}})
	create, ok := plan[0].(claimplan.CreateClaim)
	if !ok || create.Claim.Annotations[resourceapi.PodResourceClaimAnnotation] != "gpu" {
		t.Errorf("unexpected plan: %v", plan)
	}
}

func TestGeneratedNames(t *testing.T) {
	const ten = "0123456789"
	for name, tc := range map[string]struct{ pod, entry, want string }{
		"short":              {"web", "gpu", "web-gpu-"},
		"just fits":          {ten + ten + ten + ten, ten + "01234", ten + ten + ten + ten + "-" + ten + "01234-"},
		"both lose":          {ten + ten + ten + ten + ten + ten, ten + ten + ten + ten + ten + ten, ten + ten + "01234567-" + ten + ten + "01234567"},
		"long pod":           {ten + ten + ten + ten + ten + ten + ten + ten + ten, ten, ten + ten + ten + ten + ten + "-01234"},
		"cut behind a dot":   {ten + ten + "0123456.890123456789" + ten + ten, ten + ten + ten + ten + ten + ten, ten + ten + "0123456-" + ten + ten + "01234567"},
		"cut behind an dash": {ten + ten + "0123456-890123456789" + ten + ten, ten + ten + ten + ten + ten + ten, ten + ten + "0123456--" + ten + ten + "01234567"},
	} {
		t.Run(name, func(t *testing.T) {
			plan := claimplan.PlanPod(claimplan.PodView{Pod: pod(tc.pod, withTemplate(tc.entry, "tmpl")), Templates: templates("tmpl")})
			if got := plan[0].(claimplan.CreateClaim).Claim.GenerateName; got != tc.want || len(got) > 58 {
				t.Errorf("got %q (%d), want %q", got, len(got), tc.want)
			}
		})
	}
}

func TestProvideClaims(t *testing.T) {
	web := pod("web")
	record := func(all ...corev1.PodResourceClaimStatus) claimplan.Action {
		return claimplan.RecordClaimNames{Pod: ref("web"), Statuses: all}
	}
	for name, tc := range map[string]struct {
		pod  *corev1.Pod
		view claimplan.PodView
		want []claimplan.Action
	}{
		"no claims": {pod: pod("web")},
		"claim of the user is not looked at": {
			pod: pod("web", withClaim("gpu", "shared"))},
		"claim was created, its name is not recorded": {
			pod:  pod("web", withTemplate("gpu", "tmpl")),
			view: claimplan.PodView{Claims: claims(claim("web-gpu-x", madeFor(web, "gpu")))},
			want: []claimplan.Action{record(status("gpu", "web-gpu-x"))}},
		"recorded names are kept, sorted": {
			pod:  pod("web", withTemplate("b", "tmpl"), withTemplate("a", "tmpl"), withTemplate("c", "tmpl"), recorded("b", "web-b-x"), notNeeded("c")),
			view: claimplan.PodView{Claims: claims(claim("web-b-x", madeFor(web, "b")), claim("web-a-x", madeFor(web, "a")))},
			want: []claimplan.Action{record(status("a", "web-a-x"), status("b", "web-b-x"), corev1.PodResourceClaimStatus{Name: "c"})}},
		"the oldest of two is taken": {
			pod: pod("web", withTemplate("gpu", "tmpl")),
			view: claimplan.PodView{Claims: claims(claim("new", madeFor(web, "gpu"), created(2)),
				claim("old-b", madeFor(web, "gpu"), created(1)), claim("old-a", madeFor(web, "gpu"), created(1)))},
			want: []claimplan.Action{record(status("gpu", "old-a"))}},
		"recorded and there": {
			pod:  pod("web", withTemplate("gpu", "tmpl"), recorded("gpu", "web-gpu-x")),
			view: claimplan.PodView{Claims: claims(claim("web-gpu-x", madeFor(web, "gpu")))}},
		"recorded and not needed": {
			pod: pod("web", withTemplate("gpu", "tmpl"), notNeeded("gpu"))},
		"recorded and not in the cache": {
			pod:  pod("web", withTemplate("gpu", "tmpl"), withTemplate("net", "tmpl"), recorded("gpu", "web-gpu-x")),
			view: claimplan.PodView{Templates: templates("tmpl")},
			want: []claimplan.Action{claimplan.VerifyClaim{Namespace: namespace, Name: "web-gpu-x"}}},
		"recorded and gone": {
			pod:  pod("web", withTemplate("gpu", "tmpl"), withTemplate("net", "tmpl"), recorded("gpu", "web-gpu-x"), recorded("net", "web-net-x")),
			view: claimplan.PodView{Templates: templates("tmpl"), NoClaim: sets.New("web-gpu-x", "web-net-x")},
			want: []claimplan.Action{claimplan.VerifyPod{Namespace: namespace, Name: "web"}}},
		"recorded and somebody else's": {
			pod:  pod("web", withTemplate("gpu", "tmpl"), recorded("gpu", "web-gpu-x")),
			view: claimplan.PodView{Templates: templates("tmpl"), Claims: claims(claim("web-gpu-x", madeFor(pod("web", uid("earlier")), "gpu")))},
			want: []claimplan.Action{claimplan.VerifyPod{Namespace: namespace, Name: "web"}}},
		"recorded, and the pod is gone": {
			pod:  pod("web", withTemplate("gpu", "tmpl"), recorded("gpu", "web-gpu-x")),
			view: claimplan.PodView{Verified: true, Templates: templates("tmpl"), NoClaim: sets.New("web-gpu-x")}},
		"recorded, and the pod is another one": {
			pod:  pod("web", withTemplate("gpu", "tmpl"), recorded("gpu", "web-gpu-x")),
			view: claimplan.PodView{Verified: true, Live: pod("web", uid("later")), Templates: templates("tmpl"), NoClaim: sets.New("web-gpu-x")}},
		"pod of an unknown group": {
			pod: pod("web", withTemplate("gpu", "tmpl"), inGroup("team")),
			want: []claimplan.Action{failed{retry: true,
				err: `get PodGroup for Pod ns/web: podgroup.scheduling.k8s.io "team" not found`}}},
	} {
		t.Run(name, func(t *testing.T) {
			tc.view.Pod = tc.pod
			check(t, claimplan.PlanPod(tc.view), tc.want...)
		})
	}
}

// A generated claim no longer owned by the pod is replaced.
func TestClaimIsMadeAgain(t *testing.T) {
	web := pod("web", withTemplate("gpu", "tmpl"), recorded("gpu", "web-gpu-x"))
	other := pod("web", uid("earlier"))
	for name, view := range map[string]claimplan.PodView{
		"deleted by accident":          {NoClaim: sets.New("web-gpu-x")},
		"owned by another pod":         {Claims: claims(claim("web-gpu-x", madeFor(other, "gpu")))},
		"deleted, other entry's claim": {NoClaim: sets.New("web-gpu-x"), Claims: claims(claim("web-net-x", madeFor(web, "net")))},
		"deleted, claim of the user":   {NoClaim: sets.New("web-gpu-x"), Claims: claims(claim("mine", ownedBy(web)))},
		"deleted, another one dying":   {NoClaim: sets.New("web-gpu-x"), Claims: claims(claim("web-gpu-y", madeFor(web, "gpu"), dying))},
		"deleted, the cache has it":    {NoClaim: sets.New("web-gpu-x"), Claims: claims(claim("web-gpu-x", madeFor(other, "gpu")))},
	} {
		t.Run(name, func(t *testing.T) {
			view.Pod, view.Live, view.Verified, view.Templates = web, web, true, templates("tmpl")
			plan := claimplan.PlanPod(view)
			if len(plan) != 1 {
				t.Fatalf("unexpected plan: %v", plan)
			}
			if _, ok := plan[0].(claimplan.CreateClaim); !ok {
				t.Errorf("unexpected plan: %v", plan)
			}
		})
	}
}

// A failing entry does not block the others.
func TestFailures(t *testing.T) {
	web := pod("web", withTemplate("bad", "missing"), withTemplate("gpu", "tmpl"))
	web.Spec.ResourceClaims = append(web.Spec.ResourceClaims, corev1.PodResourceClaim{Name: "future"})
	check(t, claimplan.PlanPod(claimplan.PodView{Pod: web, Claims: claims(claim("web-gpu-x", madeFor(web, "gpu")))}),
		claimplan.RecordClaimNames{Pod: ref("web"), Statuses: []corev1.PodResourceClaimStatus{status("gpu", "web-gpu-x")}},
		failed{retry: true,
			err:   `pod ns/web, PodResourceClaim bad: resource claim template "missing": resourceclaimtemplate.resource.k8s.io "missing" not found`,
			event: `PodResourceClaim bad: resource claim template "missing": resourceclaimtemplate.resource.k8s.io "missing" not found`},
		failed{retry: true,
			err:   `pod ns/web, PodResourceClaim future: checking for claim before creating it: pod "ns/web", spec.resourceClaim "future": none of the supported fields are set`,
			event: `PodResourceClaim future: checking for claim before creating it: pod "ns/web", spec.resourceClaim "future": none of the supported fields are set`})
}

func TestCreationFailed(t *testing.T) {
	view := claimplan.PodView{Pod: pod("web", withTemplate("gpu", "tmpl")), Templates: templates("tmpl")}
	create := claimplan.PlanPod(view)[0].(claimplan.CreateClaim)
	quota := errors.New("exceeded quota")
	fail := claimplan.CreationFailed(view, create, quota)
	if !errors.Is(fail.Err, quota) {
		t.Errorf("the cause is lost: %v", fail.Err)
	}
	check(t, []claimplan.Action{fail}, failed{retry: true,
		err:   "pod ns/web, PodResourceClaim gpu: create ResourceClaim web-gpu-: exceeded quota",
		event: "PodResourceClaim gpu: create ResourceClaim web-gpu-: exceeded quota"})
}

func TestPodGroups(t *testing.T) {
	group := &schedulingapi.PodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "team", UID: "team-uid"}}
	web := pod("web", withTemplate("own", "tmpl"), inGroup("team"))
	plan := claimplan.PlanPod(claimplan.PodView{Pod: web, PodGroup: group, Templates: templates("tmpl")})
	if _, ok := plan[0].(claimplan.CreateClaim); !ok || len(plan) != 1 {
		t.Errorf("a claim of the pod itself must be made, got %v", plan)
	}

	withTemplate("all", "tmpl")(web)
	group.Spec.ResourceClaims = []schedulingapi.PodGroupResourceClaim{{Name: "all", ResourceClaimTemplateName: ptr.To("tmpl")}}
	plan = claimplan.PlanPod(claimplan.PodView{Pod: web, PodGroup: group, Templates: templates("tmpl")})
	check(t, plan[1:], failed{
		err:   "pod ns/web, PodResourceClaim all: claim all is a PodGroup claim but the DRAWorkloadResourceClaims feature is disabled",
		event: "PodResourceClaim all: claim all is a PodGroup claim but the DRAWorkloadResourceClaims feature is disabled"})

	stranger := group.DeepCopy()
	stranger.Name = "stranger"
	check(t, claimplan.PlanPod(claimplan.PodView{Pod: pod("web", withTemplate("gpu", "tmpl"), inGroup("team")), PodGroup: stranger}), failed{retry: true,
		err:   "pod ns/web, PodResourceClaim gpu: Pod ns/web belongs to PodGroup ns/team, not PodGroup ns/stranger",
		event: "PodResourceClaim gpu: Pod ns/web belongs to PodGroup ns/team, not PodGroup ns/stranger"})
}

// kubernetes#141274: a finished pod gets no new claims or reservations.
func TestFinishedPodsGetNothing(t *testing.T) {
	for name, change := range map[string]func(*corev1.Pod){
		"succeeded":     phase(corev1.PodSucceeded),
		"failed":        phase(corev1.PodFailed),
		"being deleted": beingDeleted,
	} {
		t.Run(name, func(t *testing.T) {
			p := pod("web", withClaim("gpu", "shared"), withTemplate("net", "tmpl"), onNode, change)
			check(t, claimplan.PlanPod(claimplan.PodView{Pod: p, Templates: templates("tmpl"), Claims: claims(claim("shared", allocated))}))
		})
	}
}
