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
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/admission"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// QuotaByClass creates claims until the quota of their class is used up.
var QuotaByClass = harness.Case{Meta: spec.Meta{
	ID:       "api/quota-by-class",
	Checks:   "Quotas of a class and of claims reject whatever exceeds them; a request for all devices counts as 32.",
	Requires: []spec.RequirementID{"kep-4381/quota-by-class", "kep-4381/quota-counts-exact", "kep-4381/quota-counts-all-as-32", "kep-4381/quota-counts-claims"},
	Needs:    spec.Needs{NoNode: true},
}, Run: func(t *harness.T) {
	const devices corev1.ResourceName = "class.deviceclass.resource.k8s.io/devices"
	const claims corev1.ResourceName = "count/resourceclaims.resource.k8s.io"
	used := func(number, all int64) {
		admission.WaitUsed(t, "quota", map[corev1.ResourceName]int64{devices: number, claims: all})
	}
	beyond := objects.Request("req", "class")
	beyond.Exactly.Count = 34
	admission.CreateQuota(t, "quota", corev1.ResourceList{devices: resource.MustParse("33"), claims: resource.MustParse("3")}, objects.Claim("beyond", beyond))
	used(0, 0)
	all := objects.Request("req", "class")
	all.Exactly.AllocationMode = resourceapi.DeviceAllocationModeAll
	two := objects.Request("req", "class")
	two.Exactly.Count = 2
	t.Create(objects.Claim("all", all))
	used(32, 1)

	t.Step("create a claim for two devices where one is left, then others")
	_, err := t.Client.ResourceV1().ResourceClaims(t.Namespace).Create(t.Context(), objects.Claim("two", two), metav1.CreateOptions{})
	t.Expect(apierrors.IsForbidden(err)).To(gomega.BeTrue(), "refused as forbidden: %v", err)
	t.Expect(err).To(gomega.MatchError(gomega.ContainSubstring("exceeded quota: quota")), "why two devices are refused")
	elsewhere := objects.Request("req", "other-class")
	elsewhere.Exactly.Count = 2
	t.Create(objects.Claim("one", objects.Request("req", "class")), objects.Claim("elsewhere", elsewhere))
	used(33, 3)
	_, err = t.Client.ResourceV1().ResourceClaims(t.Namespace).Create(t.Context(), objects.Claim("fourth", objects.Request("req", "other-class")), metav1.CreateOptions{})
	t.Expect(err).To(gomega.MatchError(gomega.ContainSubstring("exceeded quota: quota, requested: "+string(claims)+"=1")), "why a fourth claim is refused")
}}
