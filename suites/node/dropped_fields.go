package node

import (
	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/spec"
)

// DroppedFields publishes by the library what the API server does not keep.
var DroppedFields = harness.Case{Meta: spec.Meta{
	ID: "node/dropped-fields",
	Checks: "A driver that has the library publish a field whose feature is switched off is told that the API server has dropped it." +
		" It shows the library of k8s.io/dynamic-resource-allocation in the test driver, not a vendor's driver.",
	Requires: []spec.RequirementID{"kubeletplugin/dropped-fields-noticed"},
	Needs: spec.Needs{
		Features: []spec.Feature{spec.PartitionableDevices}, Off: []spec.Feature{spec.CompatibilityGroups}, Profile: profiles.OneDevice(),
	},
	Catches: []spec.MutantID{"driver-slices-unchecked"},
}, Run: func(t *harness.T) {
	// Slices with counters alone are taken as they are.
	profile := profiles.Partitions()
	for i := range profile.Pools[0].Devices {
		profile.Pools[0].Devices[i].ConsumesCounters[0].CompatibilityGroups = []string{"group"}
	}
	driver := t.SecondDriverAs(profile, func(c *spec.DriverConfig) { c.Publishing = spec.PublishByHelper })
	t.Expect(driver.AwaitProblem()).To(gomega.ContainSubstring("dropped by the apiserver"), "what the driver is told")
}}
