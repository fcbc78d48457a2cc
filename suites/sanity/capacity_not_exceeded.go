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

package sanity

import (
	"github.com/dra-conformance/dratest/framework/spec"
)

// capacityNotExceeded is about: KEP-5075, Risks and Mitigations.
var capacityNotExceeded = Check{Meta: spec.Meta{
	ID:       "sanity/capacity-not-exceeded",
	Checks:   "A share is not prepared while the prepared shares of its device consume all of the capacity.",
	Requires: []spec.RequirementID{"kep-5075/driver-validates-total"},
}, Source: "KEP-5075, Risks and Mitigations; Project-HAMi/k8s-dra-driver#24", Run: func(t *T) {
	device := t.SharedDevice()
	consumes := ""
	for name, amount := range device.Capacity {
		if !amount.IsZero() {
			consumes = string(name)
		}
	}
	if consumes == "" {
		t.NotApplicablef("a share of device %s of pool %s consumes no capacity", device.Name, device.Pool)
	}
	whole := device
	whole.Capacity = device.Total
	if _, why := t.Try(t.One(whole), "a share with the whole capacity of a device"); why != "" {
		t.NotApplicablef("the driver does not prepare a share with the whole capacity: %s", why)
	}
	_, why := t.Try(t.One(device), "a share beyond the capacity of its device")
	if why == "" {
		t.Failf("a second share of device %s of pool %s is prepared, and the first one has all of %s", device.Name, device.Pool, consumes)
	}
	t.Notef("%s", why)
}}
