package core

import (
	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Partition looks at what is published of partitions, and has a pod use one after the other.
var Partition = harness.Case{Meta: spec.Meta{
	ID: "core/partition",
	Checks: "No pool of the driver has two sets of counters of one name, and each device that consumes counters names sets of its pool that have those counters, and enough of them. A container " +
		"sees the partition that its claim was allocated, and so does that of the pod that comes after it.",
	Requires: []spec.RequirementID{"kep-4815/counters-of-pool", "kep-4815/counter-set-names-unique", "kep-4381/cdi-into-container"},
	Needs: spec.Needs{
		Features: []spec.Feature{spec.PartitionableDevices}, Profile: profiles.Partitions(), Devices: 1, DriverFeatures: []spec.DriverFeature{spec.DriverPartitionable},
	},
	Catches: []spec.MutantID{"driver-prepare-other-device"},
}, Run: func(t *harness.T) {
	partitions := map[string]bool{}
	var wrong []string
	for _, pool := range t.Pools() {
		wrong = append(wrong, pool.WrongCounters()...)
		for _, d := range pool.Devices() {
			partitions[pool.Name+"/"+d.Name] = len(d.ConsumesCounters) > 0
		}
	}
	t.Expect(wrong).To(gomega.BeEmpty(), "what is wrong with the counters that the driver publishes")

	for _, name := range []string{"first", "second"} {
		t.Create(objects.Claim(name, t.Request("req")))
		t.RunPod(t.Pod(name, name))
		claim := t.WaitAllocated(name)
		result := claim.Status.Allocation.Devices.Results[0]
		if id := result.Pool + "/" + result.Device; !partitions[id] {
			t.Blockedf("device %s, which claim %s was allocated, consumes no counters: declare the class of the partitions with features: [%s], and selectors if need be", id, name, spec.DriverPartitionable)
		}
		t.ExpectDevices(name, "main", claim)
		t.RemovePod(name)
		t.AwaitReleased(name)
	}
}}
