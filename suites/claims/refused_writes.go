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
	"context"
	"fmt"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/describe"
)

// refuse has an admission policy reject status updates of claims of this name, and waits until it is
// effective. It returns a function to end that.
func refuse(t *harness.T, claim string) (allow func()) {
	const message = "no status for this claim"
	policy := &admissionv1.ValidatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: t.Namespace},
		Spec: admissionv1.ValidatingAdmissionPolicySpec{
			FailurePolicy: ptr.To(admissionv1.Fail),
			MatchConstraints: &admissionv1.MatchResources{
				NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: t.Namespace}},
				ResourceRules: []admissionv1.NamedRuleWithOperations{{RuleWithOperations: admissionv1.RuleWithOperations{
					Operations: []admissionv1.OperationType{admissionv1.Update},
					Rule:       admissionv1.Rule{APIGroups: []string{resourceapi.GroupName}, APIVersions: []string{"*"}, Resources: []string{"resourceclaims/status"}},
				}}},
			},
			Validations: []admissionv1.Validation{{Message: message, Expression: fmt.Sprintf("object.metadata.name != %q", claim)}},
		},
	}
	binding := &admissionv1.ValidatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: t.Namespace},
		Spec:       admissionv1.ValidatingAdmissionPolicyBindingSpec{PolicyName: t.Namespace, ValidationActions: []admissionv1.ValidationAction{admissionv1.Deny}},
	}
	t.Create(policy, binding)
	claims := t.Client.ResourceV1().ResourceClaims(t.Namespace)
	// The policy takes effect with a short delay.
	t.Poll("the status of claim "+claim+" to be refused", func(ctx context.Context) (bool, string, error) {
		_, err := claims.UpdateStatus(ctx, t.Claim(claim), metav1.UpdateOptions{DryRun: []string{metav1.DryRunAll}})
		return apierrors.IsInvalid(err) && strings.Contains(err.Error(), message), describe.Response(err), nil
	})
	return func() { t.Delete(binding) }
}
