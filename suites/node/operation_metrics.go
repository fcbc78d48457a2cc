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
	"time"

	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/kubelet"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/issues"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// OperationMetrics has a claim with devices of two drivers. One driver fails twice to prepare and
// twice to unprepare it. The claim counts for each driver and once in the total, only while
// prepared.
var OperationMetrics = harness.Case{Meta: spec.Meta{
	ID:            "node/operation-metrics",
	Checks:        "The kubelet's metrics report the duration and failure of prepare and unprepare operations, and claims in use.",
	Requires:      []spec.RequirementID{"kep-4381/operation-metric", "kep-4381/claims-in-use"},
	Needs:         spec.Needs{Profile: profiles.OneDevice()},
	WaitsFor:      waitsForResync,
	SerialBecause: "It counts how often the kubelet prepares and unprepares, and the claims in use, whichever the driver.",
	HoldsNode:     true,
	Timeout:       6 * time.Minute,
	KnownIssue:    issues.Known("operation-metrics"),
}, Run: func(t *harness.T) {
	second := simdriver.Second(t, profiles.OneDevice(), nil)
	class := t.CreateClass(nil)
	t.Create(objects.Class(second.Name, second.Name))
	t.Create(objects.Claim("claim", objects.Request("first", class), objects.Request("second", second.Name)))
	drivers := []string{t.DriverName(), second.Name, "<any>"}
	idle := claimsInUse(t, t.Nodes[0], drivers[2])
	before := operations(t)
	simdriver.Of(t).Fail(spec.Fault{Method: spec.Prepare, Kind: spec.FaultClaimError})

	t.Create(objects.Pod("pod", t.Image, "claim"))
	simdriver.Of(t).AwaitCalls(spec.Prepare, "claim", "two that fail", func(calls []spec.Call) bool { return len(calls) >= 2 })
	for i, want := range []float64{0, 0, idle} {
		t.Expect(claimsInUse(t, t.Nodes[0], drivers[i])).To(gomega.Equal(want), "claims in use of %s while the claim is not prepared", drivers[i])
	}
	simdriver.Of(t).Fail(spec.Fault{Method: spec.Unprepare, Kind: spec.FaultClaimError, Times: 2})
	t.WaitRunning("pod")
	for i, want := range []float64{1, 1, idle + 1} {
		t.Expect(claimsInUse(t, t.Nodes[0], drivers[i])).To(gomega.Equal(want), "claims in use of %s while the pod runs", drivers[i])
	}
	t.RemovePod("pod")
	for i, want := range []float64{0, 0, idle} {
		t.Expect(claimsInUse(t, t.Nodes[0], drivers[i])).To(gomega.Equal(want), "claims in use of %s when the pod is gone", drivers[i])
	}

	after := operations(t)
	for operation, counted := range after {
		failed, succeeded := counted["true"]-before[operation]["true"], counted["false"]-before[operation]["false"]
		if failed == 1 && succeeded >= 2 {
			t.KnownIssue("expected %s to be counted as failed at least 2 times, got %g", operation, failed)
			continue
		}
		t.Expect(failed).To(gomega.BeNumerically(">=", 2), "how often %s has failed", operation)
		t.Expect(succeeded).To(gomega.BeEquivalentTo(1), "how often %s has not failed", operation)
	}
}}

// operations counts prepare and unprepare operations of the first node's kubelet, by operation and
// failure.
func operations(t *harness.T) map[string]map[string]float64 {
	counted := map[string]map[string]float64{}
	for _, operation := range []string{"PrepareResources", "UnprepareResources"} {
		counted[operation] = map[string]float64{}
		for _, failed := range []string{"true", "false"} {
			counted[operation][failed], _ = kubelet.Metric(t, t.Nodes[0], "dra_operations_duration_seconds", map[string]string{"operation_name": operation, "is_error": failed})
		}
	}
	return counted
}
