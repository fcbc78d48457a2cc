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

package api

import (
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// TemplateRules writes templates with metadata not allowed for claims, and changes one.
var TemplateRules = harness.Case{Meta: spec.Meta{
	ID:       "api/template-rules",
	Checks:   "A template gives claims labels and annotations and no other metadata, and its spec is immutable.",
	Requires: []spec.RequirementID{"kep-4381/template-immutable", "kep-4381/template-metadata-only-labels", "kep-3063/generated-claim-unchanged", "kep-3063/template-labels-copied"},
	Needs:    spec.Needs{NoNode: true},
}, Run: func(t *harness.T) {
	templates := t.Client.ResourceV1().ResourceClaimTemplates(t.Namespace)
	meta := func(change func(*metav1.ObjectMeta)) func(*resourceapi.ResourceClaimTemplate) {
		return func(r *resourceapi.ResourceClaimTemplate) { change(&r.Spec.ObjectMeta) }
	}
	label := func(key, value string) func(*resourceapi.ResourceClaimTemplate) {
		return meta(func(m *metav1.ObjectMeta) { m.Labels = map[string]string{key: value} })
	}
	annotation := func(key string) func(*resourceapi.ResourceClaimTemplate) {
		return meta(func(m *metav1.ObjectMeta) { m.Annotations = map[string]string{key: "any value"} })
	}
	named := meta(func(m *metav1.ObjectMeta) { m.Name = "claim" })
	generated := meta(func(m *metav1.ObjectMeta) { m.GenerateName = "claim-" })
	placed := meta(func(m *metav1.ObjectMeta) { m.Namespace = t.Namespace })
	finalized := meta(func(m *metav1.ObjectMeta) { m.Finalizers = []string{"example.com/f"} })
	owned := meta(func(m *metav1.ObjectMeta) {
		m.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: "pod", UID: "uid"}}
	})
	const field = "spec.metadata"
	judge(t, func() *resourceapi.ResourceClaimTemplate { return objects.Template("template", validClaim()) }, create(t, templates),
		[]rule[*resourceapi.ResourceClaimTemplate]{
			{"a name", label("a", "b"), named, field + ".name", forbidden},
			{"a generated name", label("a", "b"), generated, field + ".generateName", forbidden},
			{"a namespace", annotation("a"), placed, field + ".namespace", forbidden},
			{"finalizers", annotation("a"), finalized, field + ".finalizers", forbidden},
			{"owners", annotation("a"), owned, field + ".ownerReferences", forbidden},
			{"a label with a blank in its key", label("a-b", "c"), label("a b", "c"), field + ".labels", invalid},
			{"a label with a blank in its value", label("a", "b-c"), label("a", "b c"), field + ".labels", invalid},
			{"an annotation with a blank in its key", annotation("a-b"), annotation("a b"), field + ".annotations", invalid},
		}...)

	t.Create(objects.Template("stored", validClaim()))
	stored, err := templates.Get(t.Context(), "stored", metav1.GetOptions{})
	t.NoError(err, "get the template")
	of := func(change func(*resourceapi.ResourceClaimSpec)) func(*resourceapi.ResourceClaimTemplate) {
		return func(r *resourceapi.ResourceClaimTemplate) { change(&r.Spec.Spec) }
	}
	own := func(r *resourceapi.ResourceClaimTemplate) { r.Labels["changed"] = "true" }
	judge(t, stored.DeepCopy, update(t, templates), []rule[*resourceapi.ResourceClaimTemplate]{
		{"another class", own, of(func(s *resourceapi.ResourceClaimSpec) { s.Devices.Requests[0].Exactly.DeviceClassName = "other" }), "spec", invalid},
		{"one more device", own, of(func(s *resourceapi.ResourceClaimSpec) { s.Devices.Requests[0].Exactly.Count = 2 }), "spec", invalid},
		{"one more request", own, of(func(s *resourceapi.ResourceClaimSpec) {
			s.Devices.Requests = append(s.Devices.Requests, objects.Request("r", "class"))
		}), "spec", invalid},
		{"a label for claims", own, label("a", "b"), "spec", invalid},
	}...)
	now, err := templates.Get(t.Context(), "stored", metav1.GetOptions{})
	t.NoError(err, "get the template")
	t.Expect(now.Spec).To(gomega.Equal(stored.Spec), "the template's spec in the end")
}}
