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
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/spec"
)

// AdminAccessKept removes the admin access label from a namespace with an allocation using it.
var AdminAccessKept = harness.Case{Meta: spec.Meta{
	ID:       "api/admin-access-kept",
	Checks:   "An allocation with admin access stays usable when its namespace loses the label, but cannot be made anew.",
	Requires: []spec.RequirementID{"kep-5018/granted-stays-writable", "kep-5018/admin-namespace-only"},
	Needs:    spec.Needs{NoNode: true, Features: []spec.Feature{spec.AdminAccess}},
}, Run: func(t *harness.T) {
	claims := t.Client.ResourceV1().ResourceClaims(t.Namespace)
	withAdminAccess := func(c *resourceapi.ResourceClaim) {
		c.Status.Allocation = allocation("device-0")
		c.Status.Allocation.Devices.Results[0].AdminAccess = ptr.To(true)
	}
	edit.AllowAdminAccess(t)
	admin := validClaim()
	admin.Spec.Devices.Requests[0].Exactly.AdminAccess = ptr.To(true)
	t.Create(admin)
	edit.ClaimStatus(t, "claim", withAdminAccess)
	labelForAdminAccess(t, "null")

	reserved := edit.ClaimStatus(t, "claim", func(c *resourceapi.ResourceClaim) {
		c.Status.ReservedFor = []resourceapi.ResourceClaimConsumerReference{consumer(0)}
	})
	t.Expect(reserved.Status.ReservedFor).To(gomega.HaveLen(1), "consumers added to the claim without the label")
	_, err := claims.Patch(t.Context(), "claim", types.MergePatchType, []byte(`{"metadata":{"labels":{"changed":"true"}}}`), metav1.PatchOptions{})
	t.NoError(err, "change the claim")
	freed := edit.ClaimStatus(t, "claim", func(c *resourceapi.ResourceClaim) { c.Status = resourceapi.ResourceClaimStatus{} })
	withAdminAccess(freed)
	t.Expect(notRefused(updateStatus(t, claims)(freed), "status.allocation.devices.results[0].adminAccess", forbidden)).To(gomega.BeEmpty(), "a new allocation with admin access, without the label")
}}
