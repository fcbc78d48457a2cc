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

// configForSubrequest is about: kubernetes-sigs/dra-example-driver#257,
// kubernetes-sigs/dra-driver-cpu#278.
var configForSubrequest = Check{Meta: spec.Meta{
	ID:       "sanity/config-for-subrequest",
	Checks:   "A request's configuration applies to its chosen alternative.",
	Requires: []spec.RequirementID{"kep-4381/config-for-driver"},
}, Source: "kubernetes-sigs/dra-example-driver#257, kubernetes-sigs/dra-driver-cpu#278, kubernetes-sigs/dra-driver-nvidia-gpu#1356", Run: func(t *T) {
	device := t.Devices(1)[0]
	chosen := Want{Device: device, Request: "req/alternative"}
	if len(t.ValidConfig) > 0 {
		config := t.visible(device)
		plain := t.content("req", nil, chosen)
		for _, requests := range [][]string{{"req"}, {"req/alternative"}} {
			if t.content("req", []Config{{Requests: requests, Parameters: config}}, chosen) == plain {
				t.Failf("configuration %s for %s has no effect on %s, and has one where there are no alternatives", config, requests[0], chosen.Request)
			}
		}
		return
	}
	refused := t.Refused()
	for _, request := range []string{"req", "req/alternative"} {
		claim := t.Claim([]Config{{Requests: []string{request}, Parameters: refused}}, chosen)
		if _, why := t.Try(claim, "with a configuration for "+request); why == "" {
			t.Failf("prepare succeeds for %s with a configuration for %s, and fails without alternatives", chosen.Request, request)
		}
		t.Unprepare(claim, "a claim with a failed prepare")
		t.Delete(claim)
	}
}}
