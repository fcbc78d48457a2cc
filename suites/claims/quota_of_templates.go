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
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/admission"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// QuotaOfTemplates has two pods with a template where the quota leaves room for one claim.
var QuotaOfTemplates = harness.Case{Meta: spec.Meta{
	ID:       "claims/quota-of-templates",
	Checks:   "Generated claims count against the quota; a pod over quota gets an event, and its claim once quota is available.",
	Requires: []spec.RequirementID{"kep-4381/quota-counts-claims"},
	Needs:    spec.Needs{NoKubelet: true},
}, Run: func(t *harness.T) {
	const claims corev1.ResourceName = "count/resourceclaims.resource.k8s.io"
	class := devices(t, t.Nodes[0], 1)
	number := corev1.ResourceName(class + ".deviceclass.resource.k8s.io/devices")
	beyond := objects.Request("req", class)
	beyond.Exactly.Count = 3
	admission.CreateQuota(t, "quota", corev1.ResourceList{number: resource.MustParse("2"), claims: resource.MustParse("1")}, objects.Claim("beyond", beyond))
	t.Create(objects.Template("template", objects.Claim("", objects.Request("req", class))))
	heldFromTemplate(t, "first", "template")
	first := generated(t, "first")
	admission.WaitUsed(t, "quota", map[corev1.ResourceName]int64{number: 1, claims: 1})
	heldFromTemplate(t, "second", "template")
	t.WaitEvent("second", "FailedResourceClaimCreation", "exceeded quota: quota")
	t.RemovePod("first")
	t.WaitClaimGone(first.Name)
	generated(t, "second")
}}
