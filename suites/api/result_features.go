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
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ResultFeatures writes allocations with contents impossible in slices and claims.
var ResultFeatures = harness.Case{Meta: spec.Meta{
	ID:     "api/result-features",
	Checks: "Allocated devices name requests of the claim, with valid conditions and tolerations; others are rejected.",
	Requires: []spec.RequirementID{
		"resource-v1/result-names-existing-request", "kep-5007/condition-type-format", "kep-5007/conditions-4", "kep-5055/toleration-label", "kep-5055/exists-without-value",
	},
	Needs: spec.Needs{NoNode: true, Since: "1.37", Features: []spec.Feature{spec.PrioritizedList, spec.BindingConditions, spec.DeviceTaints}},
}, Run: func(t *harness.T) {
	t.Create(claimWithAlternatives())
	stored := t.Claim("claim")
	stored.Status.Allocation = allocation("device-0")
	stored.Status.Allocation.Devices.Results[0].Request = "req/sub-1"
	judge(t, stored.DeepCopy, updateStatus(t, t.Client.ResourceV1().ResourceClaims(t.Namespace)), resultFeatureRules()...)
}}

func resultFeatureRules() []rule[*resourceapi.ResourceClaim] {
	result := func(change func(*resourceapi.DeviceRequestAllocationResult)) func(*resourceapi.ResourceClaim) {
		return func(c *resourceapi.ResourceClaim) { change(&c.Status.Allocation.Devices.Results[0]) }
	}
	of := func(request string) func(*resourceapi.ResourceClaim) {
		return result(func(r *resourceapi.DeviceRequestAllocationResult) { r.Request = request })
	}
	const device = "status.allocation.devices.results[0]"
	rules := []rule[*resourceapi.ResourceClaim]{
		{"a device for a nonexistent alternative", of("req/sub-0"), of("req/sub-2"), device + ".request", invalid},
		{"a device for an alternative of another request", of("req/sub-0"), of("other/sub-0"), device + ".request", invalid},
		{"a device for an alternative without its request", of("req/sub-0"), of("sub-0"), device + ".request", invalid},
		{"a device for something below an alternative", of("req/sub-0"), of("req/sub-0/sub-0"), device + ".request", invalid},
	}
	rules = append(rules, conditionRules(device, func(ready, failed []string) func(*resourceapi.ResourceClaim) {
		return result(func(r *resourceapi.DeviceRequestAllocationResult) {
			r.BindingConditions, r.BindingFailureConditions = ready, failed
		})
	})...)
	return append(rules, tolerationRules(device+".tolerations[0]", func(tolerations ...resourceapi.DeviceToleration) func(*resourceapi.ResourceClaim) {
		return result(func(r *resourceapi.DeviceRequestAllocationResult) { r.Tolerations = tolerations })
	})...)
}
