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

package groups

import (
	corev1 "k8s.io/api/core/v1"
	schedulingapi "k8s.io/api/scheduling/v1beta1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// PodsRun runs pods with their group's claims, one by name and one from a template. The claims
// outlive the pods and are prepared again for the next one.
var PodsRun = harness.Case{Meta: spec.Meta{
	ID:       "groups/pods-run",
	Checks:   "The kubelet starts a group's pods with the group's claims, and unprepares them after the last pod.",
	Requires: []spec.RequirementID{"kep-5729/kubelet-accepts-group"},
	Needs:    spec.Needs{Profile: profiles.TwoDevices(), Since: "1.37", PodGroups: true, Features: []spec.Feature{spec.WorkloadClaims}},
}, Run: func(t *harness.T) {
	t.Create(objects.Claim("shared", t.Driver.Request("req")), objects.Template("template", objects.Claim("", t.Driver.Request("req"))))
	group := create(t, schedulingapi.PodGroupResourceClaim{Name: "shared", ResourceClaimName: ptr.To("shared")},
		schedulingapi.PodGroupResourceClaim{Name: "claim", ResourceClaimTemplateName: ptr.To("template")})
	generated := made(t).Name
	pod := func(name string) *corev1.Pod {
		pod := member(t.Pod(name, "shared"))
		pod.Spec.ResourceClaims = append(pod.Spec.ResourceClaims, corev1.PodResourceClaim{Name: "claim", ResourceClaimTemplateName: ptr.To("template")})
		pod.Spec.Containers = append(pod.Spec.Containers, t.Container("other", "claim"))
		return pod
	}
	expect := func(pod string) {
		for _, of := range []struct{ container, claim string }{{"main", "shared"}, {"other", generated}} {
			claim := t.Claim(of.claim)
			expectOfGroup(t, claim, group)
			t.Driver.ExpectDevices(pod, of.container, claim)
		}
	}
	t.RunPod(pod("first"))
	t.RunPod(pod("second"))
	expect("first")
	expect("second")
	t.RemovePod("first")
	t.Driver.ExpectHeld(t.Claim("shared"))
	t.Driver.ExpectHeld(t.Claim(generated))
	t.RemovePod("second")
	t.Driver.AwaitUnprepared()

	// The claims are still allocated, and are prepared again.
	t.RunPod(pod("third"))
	expect("third")
	t.RemovePod("third")
	t.Driver.AwaitUnprepared()
}}
