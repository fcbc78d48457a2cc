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

package metrics

import (
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/controlplane"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// AdminAccess counts a user's claim and a generated claim with admin access, and one without.
var AdminAccess = harness.Case{Meta: spec.Meta{
	ID:       "metrics/admin-access",
	Checks:   "The controllers' metrics count claims with admin access separately, allocated and created.",
	Requires: []spec.RequirementID{"kep-5018/metrics-tell-admin-access", "kep-4381/claim-metrics", "kep-4381/claim-creation-metrics"},
	Needs: spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.AdminAccess}, Since: namedSince, Alone: true,
		Metrics: []string{"kube-controller-manager"}},
	SerialBecause: countsAll,
}, Run: func(t *harness.T) {
	edit.AllowAdminAccess(t)
	class := t.CreateClass(nil)
	t.Publish("pool", t.Nodes[0], profiles.OneDevice().Pools[0].Devices...)
	const claims, creates = "dynamic_resource_allocation_resource_claims", "dynamic_resource_allocation_resourceclaim_creates_total"
	kinds := map[string]map[string]string{
		"of-users":  {"allocated": "false", "source": "", "admin_access": "true"},
		"generated": {"allocated": "true", "source": "resource_claim_template", "admin_access": "true"},
	}
	created := map[string]string{"status": "success", "admin_access": "true", "owner_api_group": "", "owner_api_kind": "Pod"}
	before := map[string]float64{creates: controlplane.Metric(t, spec.Controllers, creates, created)}
	for kind, labels := range kinds {
		before[kind] = controlplane.Metric(t, spec.Controllers, claims, labels)
	}
	expect := func(kind string, more float64) {
		controlplane.WaitMetric(t, spec.Controllers, claims, kinds[kind], "initial value plus the additions of the case", func(v float64) bool { return v == before[kind]+more })
	}
	asking := func(name string) *resourceapi.ResourceClaim {
		request := objects.Request("req", class)
		request.Exactly.AdminAccess = ptr.To(true)
		return objects.Claim(name, request)
	}

	t.Create(objects.Template("template", asking("")), objects.PodFromTemplate("generated", t.Image, "template"))
	t.WaitScheduled("generated")
	t.Create(asking("mine"), objects.Claim("other", objects.Request("req", class)))
	expect("of-users", 1)
	expect("generated", 1)
	controlplane.WaitMetric(t, spec.Controllers, creates, created, "one more than before", func(v float64) bool { return v == before[creates]+1 })
	t.RemovePod("generated")
	expect("generated", 0)
	expect("of-users", 1)
}}
