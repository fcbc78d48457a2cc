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
	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/spec"
)

// DroppedFields publishes fields dropped by the API server. It tests the library
// k8s.io/dynamic-resource-allocation in the test driver, not a vendor's driver.
var DroppedFields = harness.Case{Meta: spec.Meta{
	ID:       "node/dropped-fields",
	Checks:   "The kubelet plugin library reports fields dropped by the API server to the driver.",
	Requires: []spec.RequirementID{"kubeletplugin/dropped-fields-noticed"},
	Needs: spec.Needs{
		Features: []spec.Feature{spec.PartitionableDevices}, Off: []spec.Feature{spec.CompatibilityGroups}, Profile: profiles.OneDevice(),
	},
	Catches: []spec.MutantID{"driver-slices-unchecked"},
}, Run: func(t *harness.T) {
	// Slices with only counters are stored unchanged.
	profile := profiles.Partitions()
	for i := range profile.Pools[0].Devices {
		profile.Pools[0].Devices[i].ConsumesCounters[0].CompatibilityGroups = []string{"group"}
	}
	driver := simdriver.Second(t, profile, func(c *spec.DriverConfig) { c.Publishing = spec.PublishByHelper })
	t.Expect(driver.AwaitProblem()).To(gomega.ContainSubstring("dropped by the apiserver"), "data passed to the driver")
}}
