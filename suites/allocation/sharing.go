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

package allocation

import (
	"maps"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/objects"
)

// shared returns a shareable device with these capacities.
func shared(name string, capacities map[string]resourceapi.DeviceCapacity) resourceapi.Device {
	d := resourceapi.Device{Name: name, AllowMultipleAllocations: ptr.To(true), Capacity: map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{}}
	for key, value := range capacities {
		d.Capacity[resourceapi.QualifiedName(key)] = value
	}
	return d
}

// amount is a capacity without a policy.
func amount(value string) resourceapi.DeviceCapacity {
	return resourceapi.DeviceCapacity{Value: resource.MustParse(value)}
}

// ranged returns a capacity with a range policy and a default; an empty step or maximum is none.
func ranged(value, standard, least, most, step string) resourceapi.DeviceCapacity {
	policy := &resourceapi.CapacityRequestPolicy{Default: ptr.To(resource.MustParse(standard)), ValidRange: &resourceapi.CapacityRequestPolicyRange{Min: ptr.To(resource.MustParse(least))}}
	if most != "" {
		policy.ValidRange.Max = ptr.To(resource.MustParse(most))
	}
	if step != "" {
		policy.ValidRange.Step = ptr.To(resource.MustParse(step))
	}
	return resourceapi.DeviceCapacity{Value: resource.MustParse(value), RequestPolicy: policy}
}

// listed returns a capacity of 100 with these valid values, the first of them the default.
func listed(values ...string) resourceapi.DeviceCapacity {
	policy := &resourceapi.CapacityRequestPolicy{Default: ptr.To(resource.MustParse(values[0]))}
	for _, v := range values {
		policy.ValidValues = append(policy.ValidValues, resource.MustParse(v))
	}
	return resourceapi.DeviceCapacity{Value: resource.MustParse("100"), RequestPolicy: policy}
}

// capacity returns a request for a device of a class with these amounts of capacity.
func capacity(name, class string, amounts map[string]string) resourceapi.DeviceRequest {
	request := objects.Request(name, class)
	if len(amounts) > 0 {
		request.Exactly.Capacity = &resourceapi.CapacityRequirements{Requests: map[resourceapi.QualifiedName]resource.Quantity{}}
	}
	for key, value := range amounts {
		request.Exactly.Capacity.Requests[resourceapi.QualifiedName(key)] = resource.MustParse(value)
	}
	return request
}

// consumed returns the consumed capacity of each result of a claim, as "request=device capacity:amount …".
func consumed(claim *resourceapi.ResourceClaim) []string {
	var all []string
	for _, r := range claim.Status.Allocation.Devices.Results {
		text := r.Request + "=" + r.Device
		for _, key := range slices.Sorted(maps.Keys(r.ConsumedCapacity)) {
			used := r.ConsumedCapacity[key]
			text += " " + string(key) + ":" + used.String()
		}
		all = append(all, text)
	}
	return all
}
