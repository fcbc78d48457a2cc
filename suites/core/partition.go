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

package core

import (
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/published"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Partition has two pods use a partition each at the same time.
var Partition = harness.Case{Meta: spec.Meta{
	ID:       "core/partition",
	Checks:   "Partitions consume existing counters of their pool; two pods see theirs, also after the other pod is gone.",
	Requires: []spec.RequirementID{"kep-4815/counters-of-pool", "kep-4815/counter-set-names-unique", "kep-4381/cdi-into-container", "kep-4381/unprepare-each-prepared"},
	Needs: spec.Needs{
		Features: []spec.Feature{spec.PartitionableDevices}, Profile: profiles.Halves(), Devices: 2, DriverFeatures: []spec.DriverFeature{spec.DriverPartitionable},
	},
	Catches: []spec.MutantID{"driver-unprepare-all"},
}, Run: func(t *harness.T) {
	var wrong []string
	for _, pool := range published.Pools(t) {
		wrong = append(wrong, pool.WrongCounters()...)
	}
	t.Expect(wrong).To(gomega.BeEmpty(), "errors in the published counters")

	t.Create(objects.Claim("first", t.Driver.Request("req")), objects.Claim("second", t.Driver.Request("req")))
	first := t.RunPod(t.Pod("first", "first"))
	second := objects.OnlyOn(t.Pod("second", "second"), first.Spec.NodeName)
	second.Spec.RestartPolicy = corev1.RestartPolicyAlways
	t.RunPod(second)
	for _, name := range []string{"first", "second"} {
		claim := t.WaitAllocated(name)
		result := claim.Status.Allocation.Devices.Results[0]
		if pool, device := published.Device(t, result.Pool, result.Device); !pool.IsPartition(device) {
			t.Blockedf("device %s of pool %s, allocated to claim %s, is not a partition: declare the class of the partitions with features: [%s], and selectors if needed",
				result.Device, result.Pool, name, spec.DriverPartitionable)
		}
		t.Driver.ExpectDevices(name, "main", claim)
	}
	expectUnharmed(t, "second", "first")
}}

// expectUnharmed deletes a pod, and ends the case unless the restarted container of the other pod sees
// its devices again. The other pod's claim has its name.
func expectUnharmed(t *harness.T, stays, goes string) {
	t.RemovePod(goes)
	t.WaitDeallocated(goes)
	t.EndContainer(stays, "main")
	t.WaitRunningAgain(stays, 0)
	claim := t.Claim(stays)
	t.Driver.ExpectDevices(stays, "main", claim)
	t.Driver.ExpectHeld(claim)
}
