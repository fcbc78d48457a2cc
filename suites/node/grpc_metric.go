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
	"context"
	"fmt"

	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/kubelet"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// CallMetrics reads the kubelet's gRPC metrics. Failed calls are counted apart from successful
// ones.
var CallMetrics = harness.Case{Meta: spec.Meta{
	ID:       "node/call-metrics",
	Checks:   "The kubelet's metrics count driver calls by driver, method and gRPC status, and the claims in use.",
	Requires: []spec.RequirementID{"kep-4381/grpc-metric", "kep-4381/claims-in-use"},
	Needs:    spec.Needs{Profile: profiles.TwoDevices()},
	WaitsFor: waitsForResync,
	Timeout:  resyncTimeout,
}, Run: func(t *harness.T) {
	node := t.Nodes[0]
	calls := func(method, code string) float64 {
		value, _ := kubelet.Metric(t, node, "dra_grpc_operations_duration_seconds",
			map[string]string{"driver_name": t.DriverName(), "method_name": "/k8s.io.kubelet.pkg.apis.dra.v1.DRAPlugin/" + method, "grpc_status_code": code})
		return value
	}
	class := t.CreateClass(nil)
	t.Create(objects.Claim("one", objects.Request("req", class)), objects.Claim("two", objects.Request("req", class)))
	simdriver.Of(t).Fail(spec.Fault{Method: spec.Prepare, Kind: spec.FaultCallError, Code: "Unavailable", Claim: "one", Times: 1})

	t.Create(objects.Pod("one", t.Image, "one"), objects.Pod("two", t.Image, "two"))
	t.WaitRunning("two")
	t.WaitRunning("one")

	t.Expect(calls("NodePrepareResources", "Unavailable")).To(gomega.BeEquivalentTo(1), "failed calls")
	t.Expect(calls("NodePrepareResources", "OK")).To(gomega.BeEquivalentTo(len(simdriver.Of(t).Calls(spec.Prepare, "one"))-1+len(simdriver.Of(t).Calls(spec.Prepare, "two"))), "successful calls")
	t.Expect(calls("NodeUnprepareResources", "OK")).To(gomega.BeZero(), "calls to unprepare while the pods run")
	waitInUse(t, node, 2)
	t.RemovePod("one")
	waitInUse(t, node, 1)
	unprepared := len(simdriver.Of(t).Calls(spec.Unprepare, "one"))
	t.Expect(unprepared).To(gomega.BeNumerically(">", 0), "NodeUnprepareResources calls received by the driver for a deleted pod")
	t.Expect(calls("NodeUnprepareResources", "OK")).To(gomega.BeEquivalentTo(unprepared), "calls to unprepare when a pod is gone")
	t.RemovePod("two")
	waitInUse(t, node, 0)
}}

// waitInUse waits until the kubelet reports this number of claims in use for the case's driver.
func waitInUse(t *harness.T, node string, want float64) {
	t.Poll(fmt.Sprintf("%g claims in use", want), func(context.Context) (bool, string, error) {
		value := claimsInUse(t, node, t.DriverName())
		return value == want, fmt.Sprintf("%g claims in use", value), nil
	})
}

// claimsInUse returns a kubelet's count of claims in use for a driver.
func claimsInUse(t *harness.T, node, driver string) float64 {
	value, _ := kubelet.Metric(t, node, "dra_resource_claims_in_use", map[string]string{"driver_name": driver})
	return value
}
