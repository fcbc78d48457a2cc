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
	"time"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/undertest"
	"github.com/dra-conformance/dratest/framework/spec"
)

// PublishedAgain is about: ROCm/k8s-gpu-dra-driver#83. It is fair to all kubelets. Node fields must
// match the vendor's declaration.
var PublishedAgain = harness.Case{Meta: spec.Meta{
	ID:       "life/published-again",
	Checks:   "A driver starting on a node without ResourceSlices publishes the same devices as before.",
	Requires: []spec.RequirementID{"kep-4381/driver-publishes-own-slices"},
	Needs:    spec.Needs{Devices: 1, DriverPods: true, Disruption: true},
	WaitsFor: "The library of drivers looks for its slices only 30 s after it has written them " +
		"(k8s.io/dynamic-resource-allocation v0.37.1 resourceslice).",
	SerialBecause: endsDriver,
	Timeout:       4 * time.Minute,
}, Run: func(t *harness.T) {
	driver, node := undertest.Of(t), t.Nodes[0]
	before := driver.Devices(node)
	driver.ExpectTemplate(before)

	driver.ReplaceWithoutSlices(node)

	driver.AwaitSame(node, before)
}}
