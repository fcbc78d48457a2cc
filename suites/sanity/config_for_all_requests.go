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

// configForAllRequests is about: kubernetes-sigs/dra-driver-cpu#269, kubernetes/kubernetes#139731.
var configForAllRequests = Check{Meta: spec.Meta{
	ID:       "sanity/config-for-all-requests",
	Checks:   "A configuration without requests applies to all requests.",
	Requires: []spec.RequirementID{"kep-4381/config-for-driver"},
}, Source: "kubernetes-sigs/dra-driver-cpu#269, kubernetes/kubernetes#139731", Run: func(t *T) {
	device := t.Devices(1)[0]
	config := t.visible(device)
	want := Want{Device: device, Request: "req"}
	named := t.content("req", []Config{{Requests: []string{"req"}, Parameters: config}}, want)
	if got := t.content("req", []Config{{Parameters: config}}, want); got != named {
		t.Failf("configuration %s gives %s where it names the request, and %s where it names none", config, named, got)
	}
}}
