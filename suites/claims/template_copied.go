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
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// TemplateCopied makes a claim from a template with all optional fields, then replaces the template.
var TemplateCopied = harness.Case{Meta: spec.Meta{
	ID:     "claims/template-copied",
	Checks: "A claim copies its template's spec, labels and annotations, and stays as it is when the template is replaced.",
	Requires: []spec.RequirementID{
		"kep-4381/template-spec-copied", "kep-4381/template-labels-copied", "resource-v1/generated-claim-annotated", "kep-4381/generated-name", "kep-4381/generated-claim-not-updated",
		"kep-3063/template-labels-copied", "kep-3063/template-spec-copied", "kep-3063/generated-claim-unchanged", "article-126/template-object",
	},
	Needs: spec.Needs{NoKubelet: true},
}, Run: func(t *harness.T) {
	template := func(class string) *resourceapi.ResourceClaimTemplate {
		claim := objects.Claim("", objects.Request("a", class, "device.driver == 'a'"), objects.Request("b", class))
		claim.Spec.Devices.Requests[1].Exactly.AllocationMode = resourceapi.DeviceAllocationModeAll
		claim.Spec.Devices.Constraints = []resourceapi.DeviceConstraint{{Requests: []string{"a", "b"}, MatchAttribute: ptr.To(resourceapi.FullyQualifiedName("example.com/numa"))}}
		config := objects.ClaimParameters("example.com", map[string]string{"c": "d"})
		config.Requests = []string{"b"}
		claim.Spec.Devices.Config = []resourceapi.DeviceClaimConfiguration{config}
		made := objects.Template("template", claim)
		made.Spec.Labels, made.Spec.Annotations = map[string]string{"example.com/label": class}, map[string]string{"example.com/annotation": class}
		return made
	}
	made := func(pod, from string) *resourceapi.ResourceClaim {
		heldFromTemplate(t, pod, from)
		return generated(t, pod)
	}
	create := func(pod, class string) (*resourceapi.ResourceClaim, *resourceapi.ResourceClaimTemplate) {
		from := template(class)
		t.Create(from)
		// The controller learns of templates in order, possibly after a pod: once it has made a claim from a newer
		// one, it knows this template.
		t.Create(objects.Template("newer-"+pod, objects.Claim("", objects.Request("req", class))))
		made("newer-"+pod, "newer-"+pod)
		return made(pod, "template"), from
	}

	claim, from := create("pod", "first")
	t.Expect(claim.Spec).To(gomega.Equal(from.Spec.Spec), "spec of the claim")
	t.Expect(claim.Labels).To(gomega.Equal(from.Spec.Labels), "labels of the claim")
	t.Expect(claim.Annotations).To(gomega.Equal(map[string]string{"example.com/annotation": "first", resourceapi.PodResourceClaimAnnotation: "claim"}), "annotations of the claim")
	t.Expect(claim.Name).To(gomega.MatchRegexp("^pod-claim-.+"), "name of the claim")
	t.Delete(from)
	other, second := create("other", "second")
	t.Expect(other.Spec).To(gomega.Equal(second.Spec.Spec), "spec of the claim from the replaced template")
	t.Expect(t.Claim(claim.Name)).To(gomega.Equal(claim), "the claim of the first template")
}}
