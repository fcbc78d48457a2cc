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

package node

import (
	"slices"

	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// CallsOneByOne starts several pods at once with a slow driver. It tests the library
// k8s.io/dynamic-resource-allocation in the test driver, not a vendor's driver.
var CallsOneByOne = harness.Case{Meta: spec.Meta{
	ID:       "node/calls-one-by-one",
	Checks:   "The kubelet plugin library serializes concurrent calls to a driver.",
	Requires: []spec.RequirementID{"kubeletplugin/calls-serialized"},
	Needs:    spec.Needs{Profile: profiles.FourDevices()},
	Catches:  []spec.MutantID{"driver-calls-at-once"},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	simdriver.Of(t).Fail(spec.Fault{Method: spec.Prepare, Kind: spec.FaultBusy})
	names := []string{"a", "b", "c", "d"}
	for _, name := range names {
		t.Create(objects.Claim(name, objects.Request("req", class)), objects.Pod(name, t.Image, name))
	}
	for _, name := range names {
		t.WaitRunning(name)
	}
	calls := simdriver.Of(t).Status().Calls
	slices.SortFunc(calls, func(a, b spec.Call) int { return a.Start.Compare(b.Start) })
	together := false
	for i := range calls[1:] {
		together = together || calls[i+1].Start.Before(calls[i].Start.Add(calls[i].Took))
	}
	if !together {
		t.Blockedf("not shown: the kubelet has waited for each answer of the driver before its next call")
	}
	t.Expect(simdriver.Of(t).Status().AtOnce).To(gomega.BeEquivalentTo(1), "concurrent calls in the driver")
}}
