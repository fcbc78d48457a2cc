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
	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/undertest"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// CallCut drops calls before they reach the driver. It is fair to all kubelets: each retries.
var CallCut = harness.Case{Meta: spec.Meta{
	ID:            "life/call-cut",
	Checks:        "A pod gets and releases its device even if the first prepare and unprepare calls never reach the driver.",
	Requires:      []spec.RequirementID{"kep-4381/prepare-idempotent", "kep-4381/unprepare-undoes-prepare"},
	Needs:         spec.Needs{Devices: 1, DriverPods: true, Disruption: true},
	SerialBecause: standsBefore,
}, Run: func(t *harness.T) {
	driver, node := undertest.Of(t), t.Nodes[0]
	lost := func(method spec.Method) spec.Fault {
		return spec.Fault{Method: method, Kind: spec.FaultCallError, Code: "Unavailable", Message: "lost on the way", Times: 1}
	}
	proxy := driver.Between(node, spec.Proxy{Faults: []spec.Fault{lost(spec.Prepare), lost(spec.Unprepare)}})
	t.Create(objects.Claim("claim", t.Driver.Request("req")))

	t.RunPod(objects.OnlyOn(t.Pod("pod", "claim"), node))

	claim := t.WaitAllocated("claim")
	t.Driver.ExpectDevices("pod", "main", claim)
	t.Expect(len(proxy.Seen(spec.Prepare))).To(gomega.BeNumerically(">=", 2), "NodePrepareResources calls: the lost one, and the next")
	t.RemovePod("pod")
	t.AwaitReleased("claim")
	driver.ExpectNothingLeft(node, claim)
	t.Expect(len(proxy.Seen(spec.Unprepare))).To(gomega.BeNumerically(">=", 2), "NodeUnprepareResources calls: the lost one, and the next")
}}
