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

// configForOtherRequest is about: resource.k8s.io/v1, DeviceAllocationConfiguration.Requests.
var configForOtherRequest = Check{Meta: spec.Meta{
	ID:       "sanity/config-for-other-request",
	Checks:   "A configuration for one request does not affect other requests.",
	Requires: []spec.RequirementID{"kep-4381/config-for-driver"},
}, Source: "resource.k8s.io/v1, DeviceAllocationConfiguration.Requests", Run: func(t *T) {
	devices := t.Devices(2)
	one, two := Want{Device: devices[0], Request: "one"}, Want{Device: devices[1], Request: "two"}
	config := t.visible(devices[0])
	plain := t.content("two", nil, one, two)
	if got := t.content("two", []Config{{Requests: []string{"one"}, Parameters: config}}, one, two); got != plain {
		t.Failf("request two has %s without configuration, and %s where request one has %s", plain, got, config)
	}
}}
