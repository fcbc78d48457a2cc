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

// configsOfAlternatives is about: resource.k8s.io/v1, DeviceAllocationConfiguration.Requests.
var configsOfAlternatives = Check{Meta: spec.Meta{
	ID:       "sanity/configs-of-alternatives",
	Checks:   "A configuration for one alternative affects neither another alternative nor one of the same name.",
	Requires: []spec.RequirementID{"kep-4381/config-for-driver"},
}, Source: "resource.k8s.io/v1, DeviceAllocationConfiguration.Requests", Run: func(t *T) {
	devices := t.Devices(2)
	config := t.visible(devices[0])
	wants := []Want{{Device: devices[0], Request: "one/chosen"}, {Device: devices[1], Request: "two/chosen"}}
	plain := t.contents(nil, wants...)
	for _, row := range []struct{ configured, spared string }{{"one/chosen", "two"}, {"one/other", "one"}} {
		got := t.contents([]Config{{Requests: []string{row.configured}, Parameters: config}}, wants...)[row.spared]
		if got != plain[row.spared] {
			t.Failf("%s/chosen has %s with a configuration for %s, and %s without", row.spared, got, row.configured, plain[row.spared])
		}
	}
}}
