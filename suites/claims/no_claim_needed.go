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
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// NoClaimNeeded marks a template's claim as unneeded in the pod's status.
var NoClaimNeeded = harness.Case{Meta: spec.Meta{
	ID:       "claims/no-claim-needed",
	Checks:   "A template entry without a claim name in the pod's status means no claim: the pod is scheduled and none is created.",
	Requires: []spec.RequirementID{"kep-4381/status-without-name-ignored"},
	Needs:    spec.Needs{NoKubelet: true},
}, Run: func(t *harness.T) {
	class := devices(t, t.Nodes[0], 1)
	t.Create(objects.PodFromTemplate("pod", t.Image, "template"))
	t.WaitEvent("pod", "FailedResourceClaimCreation", `"template" not found`)
	edit.PodStatus(t, "pod", func(p *corev1.Pod) {
		p.Status.ResourceClaimStatuses = []corev1.PodResourceClaimStatus{{Name: "claim"}}
	})
	t.WaitScheduled("pod")

	t.Create(objects.Template("template", objects.Claim("", objects.Request("req", class))))
	touch(t, "pod") // each controller syncs this pod again before the next one
	heldFromTemplate(t, "other", "template")
	made := generated(t, "other")
	t.Expect(t.Claims()).To(gomega.ConsistOf(gomega.HaveField("Name", made.Name)), "claims created from the template")
	pod := t.WaitScheduled("pod")
	t.Expect(pod.Status.ResourceClaimStatuses).To(gomega.Equal([]corev1.PodResourceClaimStatus{{Name: "claim"}}), "claims in the pod's status")
}}
