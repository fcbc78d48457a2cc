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
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/describe"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ClaimsByPolicy has an admission policy check a driver's parameters.
var ClaimsByPolicy = harness.Case{Meta: spec.Meta{
	ID:       "api/claims-by-policy",
	Checks:   "A ValidatingAdmissionPolicy can check a driver's parameters in new claims.",
	Requires: []spec.RequirementID{"kep-4381/config-checked-by-policy"},
	Needs:    spec.Needs{NoNode: true},
}, Run: func(t *harness.T) {
	const message = "the share must be half or full"
	rule := admissionv1.Rule{APIGroups: []string{group}, APIVersions: []string{"*"}, Resources: []string{"resourceclaims"}}
	t.Create(
		&admissionv1.ValidatingAdmissionPolicy{
			ObjectMeta: metav1.ObjectMeta{Name: t.Namespace},
			Spec: admissionv1.ValidatingAdmissionPolicySpec{
				FailurePolicy: ptr.To(admissionv1.Fail),
				MatchConstraints: &admissionv1.MatchResources{
					NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: t.Namespace}},
					ResourceRules: []admissionv1.NamedRuleWithOperations{{RuleWithOperations: admissionv1.RuleWithOperations{
						Operations: []admissionv1.OperationType{admissionv1.Create}, Rule: rule,
					}}},
				},
				Validations: []admissionv1.Validation{{Message: message, Expression: fmt.Sprintf(
					`!has(object.spec.devices.config) || object.spec.devices.config.all(c, c.opaque.driver != %q || c.opaque.parameters.share in ["half", "full"])`, driver)}},
			},
		},
		&admissionv1.ValidatingAdmissionPolicyBinding{
			ObjectMeta: metav1.ObjectMeta{Name: t.Namespace},
			Spec:       admissionv1.ValidatingAdmissionPolicyBindingSpec{PolicyName: t.Namespace, ValidationActions: []admissionv1.ValidationAction{admissionv1.Deny}},
		},
	)
	claim := func(driver, share string) *resourceapi.ResourceClaim {
		c := validClaim()
		c.Spec.Devices.Config = []resourceapi.DeviceClaimConfiguration{objects.ClaimParameters(driver, map[string]string{"share": share})}
		return c
	}
	t.Poll("a claim with wrong parameters to be refused by the policy", func(context.Context) (bool, string, error) {
		err := createClaim(t)(claim(driver, "quarter"))
		return apierrors.IsInvalid(err) && strings.Contains(err.Error(), message), describe.Response(err), nil
	})
	for _, c := range []*resourceapi.ResourceClaim{claim(driver, "half"), claim(driver, "full"), claim("other.example.com", "quarter"), validClaim()} {
		t.Expect(createClaim(t)(c)).To(gomega.Succeed(), "a claim with parameters %v", c.Spec.Devices.Config)
	}
}}
