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
	"strings"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// LongNames has names of pod, template and claims at the API's limit.
var LongNames = harness.Case{Meta: spec.Meta{
	ID:       "claims/long-names",
	Checks:   "Pods, templates and claims may have names of 253 characters; generated claim names are shortened and unique.",
	Requires: []spec.RequirementID{"kep-4381/generated-name"},
	Needs:    spec.Needs{NoKubelet: true},
}, Run: func(t *harness.T) {
	class := devices(t, t.Nodes[0], 3)
	long := func(last string) string { return strings.Repeat("a", 253-len(last)) + last }
	t.Create(objects.Template(long("template"), objects.Claim("", objects.Request("req", class))), objects.Claim(long("claim"), objects.Request("req", class)))
	var names []string
	for _, last := range []string{"first", "second"} {
		pod := objects.PodFromTemplate(long(last), t.Image, long("template"))
		pod.Spec.ResourceClaims = append(pod.Spec.ResourceClaims, corev1.PodResourceClaim{Name: "user", ResourceClaimName: ptr.To(long("claim"))})
		pod.Spec.Containers[0].Resources.Claims = append(pod.Spec.Containers[0].Resources.Claims, corev1.ResourceClaim{Name: "user"})
		t.Create(pod)
		t.WaitScheduled(pod.Name)
		claim := generated(t, pod.Name)
		t.Expect(metav1.IsControlledBy(claim, pod)).To(gomega.BeTrue(), "the pod is the claim's controller: %v", claim.OwnerReferences)
		names = append(names, claim.Name)
	}
	t.Expect(names).To(gomega.HaveEach(gomega.HavePrefix("aaaa")), "names of the claims")
	t.Expect(names[0]).NotTo(gomega.Equal(names[1]), "names of the claims")
}}
