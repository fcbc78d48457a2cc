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

package allocator_test

import (
	"strings"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// holds gives a device memory for a single claim.
func holds(memory string, policy *resourceapi.CapacityRequestPolicy) func(*resourceapi.Device) {
	return func(d *resourceapi.Device) {
		d.Capacity = map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{"memory": {Value: resource.MustParse(memory), RequestPolicy: policy}}
	}
}

// A request without capacity takes all capacity of an unshared device, unless the device's policy says
// otherwise, as in upstream's allocator.
func TestCapacityOfDevicesThatAreNotShared(t *testing.T) {
	smallOnly := &resourceapi.CapacityRequestPolicy{ValidValues: []resource.Quantity{resource.MustParse("1Gi")}}
	share := list(claim("other"))
	share[0].Status.Allocation = &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{
		Results: []resourceapi.DeviceRequestAllocationResult{{
			Request: "r", Driver: driver, Pool: "node", Device: "a", ShareID: new(shareID),
			ConsumedCapacity: map[resourceapi.QualifiedName]resource.Quantity{"memory": resource.MustParse("1Gi")},
		}},
	}}
	one := list(claim("c", exactly("r", 1)))
	for name, test := range map[string]struct {
		world
		want string
	}{
		"no policy": {
			world{devices: []resourceapi.Device{gpu("a", holds("8Gi", nil))}, claims: one}, "r:a",
		},
		"the policy forbids all of it": {
			world{devices: []resourceapi.Device{gpu("a", holds("8Gi", smallOnly)), gpu("b", holds("8Gi", nil))}, claims: one}, "r:b",
		},
		"a share from when it was shared": {
			world{devices: []resourceapi.Device{gpu("a", holds("8Gi", nil)), gpu("b", holds("8Gi", nil))}, claims: one, others: share}, "r:b",
		},
		"a negative value": {
			world{devices: []resourceapi.Device{gpu("a", holds("-1", nil))}, claims: one}, "checking capacity for device gpu.example.com/node/a: ",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := test.allocate(t)
			if err != nil {
				if !strings.Contains(err.Error(), test.want) {
					t.Errorf("got error %v, want %s", err, test.want)
				}
				return
			}
			if got := got(r); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// A request for all devices that violated a constraint, or an alternative for all devices with an incomplete
// pool, ended the attempt for the pod (kubernetes#141829): the next alternative was not tried.
func TestAllDevicesViolateAConstraint(t *testing.T) {
	all := alternative("s", 1)
	all.AllocationMode, all.Count = resourceapi.DeviceAllocationModeAll, 0
	group := func(name, group, model string) resourceapi.Device {
		return gpu(name, attr("group", group), attr("model", model))
	}
	two := []resourceapi.Device{group("a", "1", "x"), group("b", "2", "y")}
	for name, test := range map[string]struct {
		world
		want string
	}{
		"the next alternative": {
			world{devices: two, claims: list(match(claim("c", either("r", all, alternative("t", 1))), "group"))}, "r/t:a",
		},
		"no other alternative": {
			world{devices: two, claims: list(match(claim("c", exactly("r", -1)), "group"))},
			"claim default/c, request r wants all devices, 2 of the node's 2 match its selectors: 1 excluded by constraints",
		},
		"another device for an earlier request": {
			world{
				devices: append(two, group("c", "2", "x")),
				claims:  list(match(claim("c", exactly("r", 1), exactly("s", -1, selecting("model=y"))), "group")),
			}, "r:c s:b",
		},
		"an incomplete pool": {
			world{slices: slicesOf(pool("p", gpu("a")), incomplete("q")), claims: list(claim("c", either("r", all, alternative("t", 1))))}, "r/t:a",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := test.allocate(t)
			if err != nil {
				t.Fatal(err)
			}
			if got := got(r); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}
