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
	"slices"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ClaimStatusRules writes invalid allocations and reservations.
var ClaimStatusRules = harness.Case{Meta: spec.Meta{
	ID:     "api/claim-status-rules",
	Checks: "An allocation has at most 32 devices and 64 configurations, and a claim 256 valid consumers; others are rejected.",
	Requires: []spec.RequirementID{
		"kep-4381/reservations-limit", "kep-4381/consumer-needs-uid", "resource-v1/reservations-merged-by-uid", "resource-v1/result-configs-64",
		"resource-v1/result-names-existing-request", "resource-v1/result-device-names", "kep-4381/consumers-other-than-pods",
		"resource-v1/parameters-10ki", "kep-4381/config-one-field", "kep-4381/config-driver-name",
	},
	Needs: spec.Needs{NoNode: true},
}, Run: func(t *harness.T) {
	claims := t.Client.ResourceV1().ResourceClaims(t.Namespace)
	t.Create(validClaim())
	stored, err := claims.Get(t.Context(), "claim", metav1.GetOptions{})
	t.NoError(err, "get the claim")
	stored.Status.Allocation = allocation("device-0")
	judge(t, stored.DeepCopy, updateStatus(t, claims), slices.Concat(resultRules(), resultConfigRules(), reservationRules())...)

	t.Step("let two consumers reserve the claim by independent patches")
	_, err = claims.UpdateStatus(t.Context(), stored, metav1.UpdateOptions{})
	t.NoError(err, "allocate the claim")
	patches := []string{`{"uid":"uid-1","resource":"consumers","apiGroup":"example.com","name":"first"}`, `{"uid":"uid-2","resource":"consumers","apiGroup":"example.com","name":"second"}`,
		`{"uid":"uid-1","resource":"consumers","apiGroup":"example.com","name":"renamed"}`}
	for _, consumer := range patches {
		patch := fmt.Appendf(nil, `{"status":{"reservedFor":[%s]}}`, consumer)
		_, err := claims.Patch(t.Context(), "claim", types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status")
		t.NoError(err, "reserve the claim for %s", consumer)
	}
	now, err := claims.Get(t.Context(), "claim", metav1.GetOptions{})
	t.NoError(err, "get the claim")
	consumer := func(uid types.UID, name string) resourceapi.ResourceClaimConsumerReference {
		return resourceapi.ResourceClaimConsumerReference{APIGroup: "example.com", Resource: "consumers", Name: name, UID: uid}
	}
	t.Expect(now.Status.ReservedFor).To(gomega.ConsistOf(consumer("uid-1", "renamed"), consumer("uid-2", "second")), "the consumers in the end")
}}

func resultRules() []rule[*resourceapi.ResourceClaim] {
	devices := func(change func(*resourceapi.DeviceAllocationResult)) func(*resourceapi.ResourceClaim) {
		return func(c *resourceapi.ResourceClaim) { change(&c.Status.Allocation.Devices) }
	}
	result := func(change func(*resourceapi.DeviceRequestAllocationResult)) func(*resourceapi.ResourceClaim) {
		return devices(func(d *resourceapi.DeviceAllocationResult) { change(&d.Results[0]) })
	}
	several := func(n int) func(*resourceapi.ResourceClaim) {
		return devices(func(d *resourceapi.DeviceAllocationResult) {
			d.Results = numbered(n, func(i int) resourceapi.DeviceRequestAllocationResult {
				return resourceapi.DeviceRequestAllocationResult{Request: "req", Driver: driver, Pool: "pool", Device: name("device", i)}
			})
		})
	}
	configs := func(n int, request string, source resourceapi.AllocationConfigSource) func(*resourceapi.ResourceClaim) {
		return devices(func(d *resourceapi.DeviceAllocationResult) {
			d.Config = numbered(n, func(int) resourceapi.DeviceAllocationConfiguration { return allocatedConfig(request, source) })
		})
	}
	of := func(request string) func(*resourceapi.ResourceClaim) {
		return result(func(r *resourceapi.DeviceRequestAllocationResult) { r.Request = request })
	}
	by := func(driver string) func(*resourceapi.ResourceClaim) {
		return result(func(r *resourceapi.DeviceRequestAllocationResult) { r.Driver = driver })
	}
	in := func(pool string) func(*resourceapi.ResourceClaim) {
		return result(func(r *resourceapi.DeviceRequestAllocationResult) { r.Pool = pool })
	}
	named := func(device string) func(*resourceapi.ResourceClaim) {
		return result(func(r *resourceapi.DeviceRequestAllocationResult) { r.Device = device })
	}
	selected := func(terms int) func(*resourceapi.ResourceClaim) {
		return func(c *resourceapi.ResourceClaim) {
			c.Status.Allocation.NodeSelector = &corev1.NodeSelector{NodeSelectorTerms: numbered(terms, nodeTerm)}
		}
	}
	const claim, class = resourceapi.AllocationConfigSourceClaim, resourceapi.AllocationConfigSourceClass
	const field, conf = "status.allocation.devices.results[0]", "status.allocation.devices.config"
	return []rule[*resourceapi.ResourceClaim]{
		{"33 devices", several(32), several(33), "status.allocation.devices.results", tooMany},
		{"a device for a nonexistent request", of("req"), of("other"), field + ".request", invalid},
		{"a device for no request", of("req"), of(""), field + ".request", ""},
		{"no driver", by("d"), by(""), field + ".driver", required},
		{"a driver with an underscore", by("my-driver"), by("my_driver"), field + ".driver", invalid},
		{"a driver of 64 characters", by(characters(63)), by(characters(64)), field + ".driver", tooLong},
		{"no pool", in("p"), in(""), field + ".pool", required},
		{"a pool with nothing between slashes", in("a/b"), in("a//b"), field + ".pool", invalid},
		{"a pool of 254 characters", in(characters(253)), in(characters(254)), field + ".pool", tooLong},
		{"a device with a capital", named("gpu"), named("GPU"), field + ".device", invalid},
		{"a device of 64 characters", named(characters(63)), named(characters(64)), field + ".device", invalid},
		{"65 configurations", configs(64, "req", class), configs(65, "req", class), conf, tooMany},
		{"a configuration for a nonexistent request", configs(1, "req", claim), configs(1, "other", claim), conf + "[0].requests[0]", invalid},
		{"a configuration from nowhere", configs(1, "req", claim), configs(1, "req", ""), conf + "[0].source", required},
		{"a configuration from somewhere else", configs(1, "req", claim), configs(1, "req", "FromPod"), conf + "[0].source", notSupported},
		{"a selector without terms", selected(1), selected(0), "status.allocation.nodeSelector.nodeSelectorTerms", required},
	}
}

// allocatedConfig returns a configuration of an allocation.
func allocatedConfig(request string, source resourceapi.AllocationConfigSource) resourceapi.DeviceAllocationConfiguration {
	return resourceapi.DeviceAllocationConfiguration{
		Source: source, Requests: []string{request}, DeviceConfiguration: objects.ClaimParameters(driver, map[string]string{"a": "b"}).DeviceConfiguration,
	}
}

// resultConfigRules are the rules for the configuration in an allocation.
func resultConfigRules() []rule[*resourceapi.ResourceClaim] {
	configured := func(change func(*resourceapi.DeviceAllocationConfiguration)) func(*resourceapi.ResourceClaim) {
		return func(c *resourceapi.ResourceClaim) {
			config := allocatedConfig("req", resourceapi.AllocationConfigSourceClass)
			change(&config)
			c.Status.Allocation.Devices.Config = []resourceapi.DeviceAllocationConfiguration{config}
		}
	}
	configuredBy := func(driver string) func(*resourceapi.ResourceClaim) {
		return configured(func(c *resourceapi.DeviceAllocationConfiguration) { c.Opaque.Driver = driver })
	}
	parameters := func(raw string) func(*resourceapi.ResourceClaim) {
		return configured(func(c *resourceapi.DeviceAllocationConfiguration) { c.Opaque.Parameters.Raw = []byte(raw) })
	}
	valid := configured(func(*resourceapi.DeviceAllocationConfiguration) {})
	const field = "status.allocation.devices.config[0]"
	return []rule[*resourceapi.ResourceClaim]{
		{"a configuration for a request twice", valid, configured(func(c *resourceapi.DeviceAllocationConfiguration) { c.Requests = []string{"req", "req"} }),
			field + ".requests[1]", duplicate},
		{"a configuration of no kind", valid, configured(func(c *resourceapi.DeviceAllocationConfiguration) { c.Opaque = nil }), field + ".opaque", required},
		{"a configuration of no driver", configuredBy("d"), configuredBy(""), field + ".opaque.driver", required},
		{"a configuration of a driver with an underscore", configuredBy("my-driver"), configuredBy("my_driver"), field + ".opaque.driver", invalid},
		{"a configuration without parameters", parameters(`{}`), parameters(`null`), field + ".opaque.parameters", required},
		{"a list as parameters", parameters(`{"a":[]}`), parameters(`[]`), field + ".opaque.parameters", invalid},
		{"parameters of 10 Ki and one byte", parameters(parametersOf(resourceapi.OpaqueParametersMaxLength)), parameters(parametersOf(resourceapi.OpaqueParametersMaxLength + 1)),
			field + ".opaque.parameters", tooLong},
	}
}

func reservationRules() []rule[*resourceapi.ResourceClaim] {
	reserved := func(consumers ...resourceapi.ResourceClaimConsumerReference) func(*resourceapi.ResourceClaim) {
		return func(c *resourceapi.ResourceClaim) { c.Status.ReservedFor = consumers }
	}
	without := func(change func(*resourceapi.ResourceClaimConsumerReference)) func(*resourceapi.ResourceClaim) {
		c := consumer(0)
		change(&c)
		return reserved(c)
	}
	one := reserved(consumer(0))
	deallocated := func(c *resourceapi.ResourceClaim) {
		one(c)
		c.Status.Allocation = nil
	}
	again := consumer(1)
	again.UID = consumer(0).UID
	const most, field = resourceapi.ResourceClaimReservedForMaxSize, "status.reservedFor"
	return []rule[*resourceapi.ResourceClaim]{
		{"257 consumers", reserved(numbered(most, consumer)...), reserved(numbered(most+1, consumer)...), field, tooMany},
		{"a consumer without a kind", one, without(func(c *resourceapi.ResourceClaimConsumerReference) { c.Resource = "" }), field + "[0].resource", required},
		{"a consumer without a name", one, without(func(c *resourceapi.ResourceClaimConsumerReference) { c.Name = "" }), field + "[0].name", required},
		{"a consumer without a UID", one, without(func(c *resourceapi.ResourceClaimConsumerReference) { c.UID = "" }), field + "[0].uid", required},
		{"two consumers of one UID", reserved(consumer(0), consumer(1)), reserved(consumer(0), again), field + "[1] or " + field + "[1].uid", duplicate},
		{"a consumer of an unallocated claim", one, deallocated, field, forbidden},
	}
}
