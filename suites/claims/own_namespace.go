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
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// OwnNamespace has claim and template in another namespace than their pods.
var OwnNamespace = harness.Case{Meta: spec.Meta{
	ID:       "claims/own-namespace",
	Checks:   "Pods do not get claims or templates of another namespace, and are scheduled once their own exist.",
	Requires: []spec.RequirementID{"kep-4381/claim-of-own-namespace", "kep-4381/waits-for-missing-template"},
	Needs:    spec.Needs{NoKubelet: true},
}, Run: func(t *harness.T) {
	class := devices(t, t.Nodes[0], 3)
	elsewhere := spec.Namespace(metav1.ObjectMeta{Name: t.Namespace + "-other"})
	t.Create(elsewhere)
	claim := func() *resourceapi.ResourceClaim { return objects.Claim("claim", objects.Request("req", class)) }
	api := t.Client.ResourceV1()
	other, err := api.ResourceClaims(elsewhere.Name).Create(t.Context(), claim(), metav1.CreateOptions{})
	t.NoError(err, "create a claim in the other namespace")
	_, err = api.ResourceClaimTemplates(elsewhere.Name).Create(t.Context(), objects.Template("template", claim()), metav1.CreateOptions{})
	t.NoError(err, "create a template in the other namespace")

	t.Create(objects.Pod("by-claim", t.Image, "claim"), objects.PodFromTemplate("by-template", t.Image, "template"))
	t.WaitEvent("by-template", "FailedResourceClaimCreation", `"template" not found`)
	waits(t, "by-claim", class)
	notScheduled(t, "by-template")
	now, err := api.ResourceClaims(elsewhere.Name).List(t.Context(), metav1.ListOptions{})
	t.NoError(err, "list the claims in the other namespace")
	t.Expect(now.Items).To(gomega.Equal([]resourceapi.ResourceClaim{*other}), "claims in the other namespace")
	t.Create(claim(), objects.Template("template", claim()))
	t.WaitScheduled("by-claim")
	t.WaitScheduled("by-template")
}}
