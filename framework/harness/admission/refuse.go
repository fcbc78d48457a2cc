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

package admission

import (
	"context"
	"fmt"
	"strings"

	"github.com/onsi/ginkgo/v2"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/describe"
)

// Refusal is an admission policy rejecting requests in the case's namespace.
type Refusal struct {
	// Message is the API server's message.
	Message string
	binding *admissionv1.ValidatingAdmissionPolicyBinding
}

// Refuse makes the API server reject an operation on a resource ("pods/status") of a group in the
// case's namespace, unless a CEL expression allows it. It returns once the API server rejects
// attempt, a dry run of the operation.
func Refuse(t *harness.T, operation admissionv1.OperationType, group, resource, allowed string, attempt func(ctx context.Context) error) *Refusal {
	ginkgo.GinkgoHelper()
	r := &Refusal{Message: fmt.Sprintf("the case refuses %s of %s", operation, resource)}
	meta := metav1.ObjectMeta{Name: strings.ToLower(t.Namespace + "." + strings.ReplaceAll(resource, "/", "-") + "." + string(operation))}
	r.binding = &admissionv1.ValidatingAdmissionPolicyBinding{
		ObjectMeta: meta,
		Spec:       admissionv1.ValidatingAdmissionPolicyBindingSpec{PolicyName: meta.Name, ValidationActions: []admissionv1.ValidationAction{admissionv1.Deny}},
	}
	rule := admissionv1.Rule{APIGroups: []string{group}, APIVersions: []string{"*"}, Resources: []string{resource}}
	t.Create(&admissionv1.ValidatingAdmissionPolicy{
		ObjectMeta: meta,
		Spec: admissionv1.ValidatingAdmissionPolicySpec{
			FailurePolicy: ptr.To(admissionv1.Fail),
			MatchConstraints: &admissionv1.MatchResources{
				NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: t.Namespace}},
				ResourceRules: []admissionv1.NamedRuleWithOperations{{RuleWithOperations: admissionv1.RuleWithOperations{
					Operations: []admissionv1.OperationType{operation}, Rule: rule,
				}}},
			},
			Validations: []admissionv1.Validation{{Message: r.Message, Expression: allowed}},
		},
	}, r.binding)
	// A refused deletion would keep the pods of a failed case.
	t.OnRestore(func(ctx context.Context) error {
		bindings := t.Client.AdmissionregistrationV1().ValidatingAdmissionPolicyBindings()
		if err := bindings.Delete(ctx, meta.Name, metav1.DeleteOptions{}); !apierrors.IsNotFound(err) {
			return err
		}
		return nil
	})
	t.Poll("the API server to refuse it", func(ctx context.Context) (bool, string, error) {
		err := attempt(ctx)
		return err != nil && strings.Contains(err.Error(), r.Message), describe.Response(err), nil
	})
	return r
}

// Accept undoes Refuse; the API server notices a moment later.
func Accept(t *harness.T, r *Refusal) {
	ginkgo.GinkgoHelper()
	t.Delete(r.binding)
}
