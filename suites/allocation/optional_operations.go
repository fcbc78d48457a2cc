package allocation

import (
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// OptionalOperations allocates devices of slices that skip operations, and of one that does not.
var OptionalOperations = harness.Case{Meta: spec.Meta{
	ID: "allocation/optional-operations",
	Checks: "The allocation has for each device the operations to skip that its slice had when the device was allocated, also when the slice has others later, and none for " +
		"devices of other slices.",
	Requires: []spec.RequirementID{"kep-5945/operations-copied"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.OptionalOperations}},
}, Run: func(t *harness.T) {
	const unprepare, all = resourceapi.SkipNodeOperationNodeUnprepareResources, resourceapi.SkipNodeOperationAll
	class := t.CreateClass(nil)
	slice := t.Slice("skips", t.Nodes[0], device("a", nil))
	slice.Spec.SkipNodeOperations = []resourceapi.SkipNodeOperation{unprepare}
	t.Create(slice)
	t.Publish("skips-not", t.Nodes[0], device("b", nil))
	skipped := func(name string) map[string][]resourceapi.SkipNodeOperation {
		operations := map[string][]resourceapi.SkipNodeOperation{}
		for _, r := range t.Claim(name).Status.Allocation.Devices.Results {
			operations[r.Device] = r.SkipNodeOperations
		}
		return operations
	}

	use(t, objects.Claim("claim", count("req", class, 2)))
	before := map[string][]resourceapi.SkipNodeOperation{"a": {unprepare}, "b": nil}
	t.Expect(skipped("claim")).To(gomega.Equal(before), "operations in the allocation")
	wait(t, objects.Claim("next", count("req", class, 3)))
	t.ChangeSlice(slice.Name, func(s *resourceapi.ResourceSlice) {
		s.Spec.SkipNodeOperations = []resourceapi.SkipNodeOperation{all}
		s.Spec.Devices = append(s.Spec.Devices, device("c", nil)) // without which there are too few for the next claim
	})
	t.Expect(skipped("claim")).To(gomega.Equal(before), "operations in the allocation when the slice has others")
	release(t, "claim")
	used(t, "next")
	t.Expect(skipped("next")).To(gomega.Equal(map[string][]resourceapi.SkipNodeOperation{"a": {all}, "b": nil, "c": {all}}), "operations when the slice has others")
}}
