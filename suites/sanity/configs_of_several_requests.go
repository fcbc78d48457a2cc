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
	"slices"

	"github.com/dra-conformance/dratest/framework/spec"
)

// configsOfSeveralRequests is about: kubernetes-sigs/dra-driver-nvidia-gpu#1251.
var configsOfSeveralRequests = Check{Meta: spec.Meta{
	ID:       "sanity/configs-of-several-requests",
	Checks:   "Each of two requests gets its own configuration, in any order of the configurations.",
	Requires: []spec.RequirementID{"kep-4381/config-for-driver"},
}, Source: "kubernetes-sigs/dra-driver-nvidia-gpu#1251", Run: func(t *T) {
	devices := t.Devices(2)
	valid := t.visibles(devices[0])
	wants := []Want{{Device: devices[0], Request: "one"}, {Device: devices[1], Request: "two"}}
	configs := []Config{
		{Requests: []string{"one"}, Parameters: valid[0]},
		{Requests: []string{"two"}, Parameters: valid[min(1, len(valid)-1)]},
	}
	alone := map[string]string{}
	for _, c := range configs {
		alone[c.Requests[0]] = t.contents([]Config{c}, wants...)[c.Requests[0]]
	}
	plain := t.contents(nil, wants...)
	if alone["two"] == plain["two"] {
		t.Failf("configuration %s has no effect on request two of a claim, and has one on the only request of another", configs[1].Parameters)
	}
	for range configs {
		for request, got := range t.contents(configs, wants...) {
			if got != alone[request] {
				t.Failf("with a configuration for %s and then one for %s, request %s has %s; with its own alone, it has %s",
					configs[0].Requests[0], configs[1].Requests[0], request, got, alone[request])
			}
		}
		slices.Reverse(configs)
	}
}}
