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

package security

import (
	"github.com/onsi/gomega"
	authorizationv1 "k8s.io/api/authorization/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ControllerRole asks for the rights of the claim controllers' service accounts, Kubernetes' and this
// project's.
var ControllerRole = harness.Case{Meta: spec.Meta{
	ID:       "security/controller-role",
	Checks:   "The claim controller's service account has no rights beyond its role, such as reading secrets or creating pods.",
	Requires: []spec.RequirementID{"kep-4381/controller-permissions"},
	Needs:    spec.Needs{NoNode: true},
}, Run: func(t *harness.T) {
	for _, account := range []string{"resource-claim-controller", "dra-controller-manager"} {
		t.Step("ask for more rights of service account %s than its role has", account)
		for _, beyond := range []authorizationv1.ResourceAttributes{
			{Verb: "create", Resource: "pods"}, {Verb: "get", Resource: "secrets"}, {Verb: "delete", Resource: "nodes"},
			{Verb: "create", Group: resourceapi.GroupName, Resource: "resourceclaimtemplates"}, {Verb: "create", Group: resourceapi.GroupName, Resource: "deviceclasses"},
		} {
			answer, err := t.Client.AuthorizationV1().SubjectAccessReviews().Create(t.Context(), &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
				User: "system:serviceaccount:" + metav1.NamespaceSystem + ":" + account, Groups: []string{"system:serviceaccounts", "system:serviceaccounts:" + metav1.NamespaceSystem, "system:authenticated"}, ResourceAttributes: &beyond,
			}}, metav1.CreateOptions{})
			t.NoError(err, "ask whether %s may %s %s", account, beyond.Verb, beyond.Resource)
			t.Expect(answer.Status.Allowed).To(gomega.BeFalse(), "whether %s may %s %s", account, beyond.Verb, beyond.Resource)
		}
	}
}}
