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
	"context"
	"fmt"
	"strings"

	"github.com/onsi/gomega"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/describe"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// SlicesByPolicy has an admission policy restrict a driver to the slices of its node.
var SlicesByPolicy = harness.Case{Meta: spec.Meta{
	ID:       "api/slices-by-policy",
	Checks:   "A ValidatingAdmissionPolicy can restrict a driver's service account to slices of its own node.",
	Requires: []spec.RequirementID{"kep-4381/driver-limited-to-node", "kep-4381/slices-of-other-nodes-protected"},
	Needs:    spec.Needs{NoNode: true},
}, Run: func(t *harness.T) {
	account := "system:serviceaccount:" + t.Namespace + ":driver"
	mayEverywhere(t, rbacv1.PolicyRule{APIGroups: []string{group}, Resources: []string{"resourceslices"}, Verbs: []string{"create", "update", "delete"}}, account)
	t.Create(slicePolicy(t.Namespace, account)...)
	slices := t.As(rest.ImpersonationConfig{UserName: account, Groups: []string{"system:serviceaccounts", "system:authenticated"},
		Extra: map[string][]string{"authentication.kubernetes.io/node-name": {"this-node"}}}).ResourceV1().ResourceSlices()
	on := func(name, node string) *resourceapi.ResourceSlice {
		s := objects.NetworkSlice(name, driver, "pool", resourceapi.Device{Name: "device"})
		if node != "" {
			s.Spec.AllNodes, s.Spec.NodeName = nil, ptr.To(node)
		}
		return s
	}
	// Policy and permissions take effect with a short delay.
	t.Poll("slices of another node to be refused by the policy", func(context.Context) (bool, string, error) {
		err := create(t, slices)(on(t.Namespace, "other-node"))
		return byPolicy(err), describe.Response(err), nil
	})
	allowed(t, "slices of the driver's node", func() error { return create(t, slices)(on(t.Namespace, "this-node")) })

	t.Step("create, change and delete slices of the node, of another one and of all")
	t.Expect(byPolicy(create(t, slices)(on(t.Namespace, "")))).To(gomega.BeTrue(), "a slice of all nodes is refused")
	for _, node := range []string{"this-node", "other-node"} {
		t.Create(on(t.Namespace+"-"+node, node))
		stored, err := t.Client.ResourceV1().ResourceSlices().Get(t.Context(), t.Namespace+"-"+node, metav1.GetOptions{})
		t.NoError(err, "get the slice of %s", node)
		stored.Spec.Pool.Generation = 2
		updateErr := update(t, slices)(stored)
		deleteErr := slices.Delete(t.Context(), stored.Name, metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}})
		if node == "this-node" {
			t.NoError(updateErr, "change the slice of the node")
			t.NoError(deleteErr, "delete the slice of the node")
			continue
		}
		t.Expect(byPolicy(updateErr)).To(gomega.BeTrue(), "a change of another node's slice, to be refused: %v", updateErr)
		t.Expect(byPolicy(deleteErr)).To(gomega.BeTrue(), "the deletion of another node's slice, to be refused: %v", deleteErr)
	}
}}

// policyMessage is the policy's message for a rejection.
const policyMessage = "the slice belongs to another node than the driver's"

// byPolicy reports whether a request was rejected by the policy.
func byPolicy(err error) bool {
	return apierrors.IsInvalid(err) && strings.Contains(err.Error(), policyMessage)
}

// slicePolicy returns a policy for one user, as KEP-4381 describes it for drivers.
func slicePolicy(name, user string) []harness.Object {
	operations := []admissionv1.OperationType{admissionv1.Create, admissionv1.Update, admissionv1.Delete}
	return []harness.Object{
		&admissionv1.ValidatingAdmissionPolicy{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: admissionv1.ValidatingAdmissionPolicySpec{
				FailurePolicy: ptr.To(admissionv1.Fail),
				MatchConstraints: &admissionv1.MatchResources{ResourceRules: []admissionv1.NamedRuleWithOperations{{RuleWithOperations: admissionv1.RuleWithOperations{
					Operations: operations, Rule: admissionv1.Rule{APIGroups: []string{group}, APIVersions: []string{"*"}, Resources: []string{"resourceslices"}},
				}}}},
				MatchConditions: []admissionv1.MatchCondition{{Name: "driver", Expression: fmt.Sprintf("request.userInfo.username == %q", user)}},
				Variables: []admissionv1.Variable{
					{Name: "runsOn", Expression: `request.userInfo.extra[?"authentication.kubernetes.io/node-name"][0].orValue("")`},
					{Name: "slice", Expression: `request.operation == "DELETE" ? oldObject : object`},
				},
				Validations: []admissionv1.Validation{{Expression: `variables.runsOn != "" && variables.slice.spec.?nodeName.orValue("") == variables.runsOn`, Message: policyMessage}},
			},
		},
		&admissionv1.ValidatingAdmissionPolicyBinding{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec:       admissionv1.ValidatingAdmissionPolicyBindingSpec{PolicyName: name, ValidationActions: []admissionv1.ValidationAction{admissionv1.Deny}},
		},
	}
}
