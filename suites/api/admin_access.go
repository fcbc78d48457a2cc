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
	"fmt"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// AdminAccess requests admin access while the namespace's label changes.
var AdminAccess = harness.Case{Meta: spec.Meta{
	ID:       "api/admin-access",
	Checks:   "Admin access in claims, templates and allocations is accepted only while the namespace has its label set to true.",
	Requires: []spec.RequirementID{"kep-5018/admin-namespace-only", "kep-5018/admin-label-true-only"},
	Needs:    spec.Needs{NoNode: true, Features: []spec.Feature{spec.AdminAccess}},
}, Run: func(t *harness.T) {
	t.Create(objects.Claim("stored", objects.Request("req", "class")))
	claims, templates := t.Client.ResourceV1().ResourceClaims(t.Namespace), t.Client.ResourceV1().ResourceClaimTemplates(t.Namespace)
	allocated := func() *resourceapi.ResourceClaim {
		stored, err := claims.Get(t.Context(), "stored", metav1.GetOptions{})
		t.NoError(err, "get the claim")
		stored.Status.Allocation = allocation("device-0")
		stored.Status.Allocation.Devices.Results[0].AdminAccess = ptr.To(true)
		return stored
	}
	admin := validClaim()
	admin.Spec.Devices.Requests[0].Exactly.AdminAccess = ptr.To(true)
	for _, label := range []string{"null", `"false"`, `"True"`, `"yes"`, `""`, `"true"`} {
		labelForAdminAccess(t, label)
		claimErr, templateErr := create(t, claims)(admin), create(t, templates)(objects.Template("template", admin))
		statusErr := updateStatus(t, claims)(allocated())
		t.NoError(create(t, claims)(validClaim()), "create a claim without admin access in a namespace with label %s", label)
		if label == `"true"` {
			t.NoError(claimErr, "create a claim with admin access")
			t.NoError(templateErr, "create a template with admin access")
			t.NoError(statusErr, "allocate with admin access")
			continue
		}
		// The field is named as it was in v1beta1, for templates too (pkg/registry/resource/utils.go).
		t.Expect(notRefused(claimErr, "spec.devices.requests[0].adminAccess", forbidden)).To(gomega.BeEmpty(), "a claim, with label %s", label)
		t.Expect(notRefused(templateErr, "spec.devices.requests[0].adminAccess", forbidden)).To(gomega.BeEmpty(), "a template, with label %s", label)
		t.Expect(notRefused(statusErr, "status.allocation.devices.results[0].adminAccess", forbidden)).To(gomega.BeEmpty(), "an allocation, with label %s", label)
	}
}}

// labelForAdminAccess gives the namespace the label for admin access with a value in JSON,
// where null takes it away.
func labelForAdminAccess(t *harness.T, value string) {
	t.Step("give the namespace the label for admin access with the value %s", value)
	patch := fmt.Appendf(nil, `{"metadata":{"labels":{%q:%s}}}`, resourceapi.DRAAdminNamespaceLabelKey, value)
	_, err := t.Client.CoreV1().Namespaces().Patch(t.Context(), t.Namespace, types.MergePatchType, patch, metav1.PatchOptions{})
	t.NoError(err, "label the namespace")
}
