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

package lifecycle

import (
	"fmt"
	"time"

	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/undertest"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// costPairs is the number of pods started with a claim, and of those without.
const costPairs = 12

// quick is our reading of the KEP's "fairly quick" for a call writing a CDI file.
const quick = 1.0 // seconds

// Costs starts pods with and without a claim in turn and measures resource usage, slice writes and
// startup latency. framework/certify compares them with the declared budget. It is fair to all
// kubelets.
var Costs = harness.Case{Meta: spec.Meta{
	ID:            "life/costs",
	Checks:        "The median duration of prepare and of unprepare is below one second; resource usage is measured.",
	Requires:      []spec.RequirementID{"kep-4381/prepare-quick"},
	Needs:         spec.Needs{Devices: 1, DriverPods: true, Disruption: true},
	WaitsFor:      "The work after a restart of the driver ends within 30 s and is not counted.",
	SerialBecause: standsBefore,
	Timeout:       10 * time.Minute,
}, Run: func(t *harness.T) {
	node := t.Nodes[0]
	costs := undertest.Of(t).Measure(node)

	for n := range costPairs {
		claim, with, without := fmt.Sprintf("claim-%d", n), fmt.Sprintf("with-%d", n), fmt.Sprintf("without-%d", n)
		t.Create(objects.Claim(claim, t.Driver.Request("req")))
		costs.RunPod(objects.OnlyOn(t.Pod(with, claim), node))
		t.RemovePod(with)
		t.AwaitReleased(claim)
		costs.RunPod(objects.OnlyOn(t.Pod(without), node))
		t.RemovePod(without)
	}

	for _, m := range costs.Report() {
		if m.Name == spec.PrepareP50 || m.Name == spec.UnprepareP50 {
			t.Expect(m.Value).To(gomega.BeNumerically("<", quick), "duration of calls in seconds, %s", m.Name)
		}
	}
}}
