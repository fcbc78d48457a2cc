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
	"fmt"

	"github.com/dra-conformance/dratest/framework/spec"
)

// failedPrepare is about: kubernetes-sigs/dra-driver-nvidia-gpu#1255, #840.
var failedPrepare = Check{Meta: spec.Meta{
	ID:       "sanity/failed-prepare",
	Checks:   "If the second of two devices fails to prepare, unprepare removes everything and frees the first one.",
	Requires: []spec.RequirementID{"kep-4381/unprepare-undoes-prepare"},
}, Source: "kubernetes-sigs/dra-driver-nvidia-gpu#1255, #840", Run: func(t *T) {
	refused := t.Refused()
	devices := t.Devices(2)
	before := t.CDI()
	claim := t.Claim([]Config{{Requests: []string{"two"}, Parameters: refused}},
		Want{Device: devices[0], Request: "one"}, Want{Device: devices[1], Request: "two"})
	if _, why := t.Try(claim, "two devices, one of them with an invalid configuration"); why == "" {
		t.Failf("prepare succeeds for two devices, one of them with an invalid configuration")
	}
	t.Unprepare(claim, "a claim with a failed prepare")
	t.expect(t.CDI().left(before, claim, nil), "after prepare failed, and unprepare")
	t.Delete(claim)
	for i, device := range devices {
		t.Prepare(t.One(device), fmt.Sprintf("device %d of a claim with a failed prepare, for another claim", i+1))
	}
}}
