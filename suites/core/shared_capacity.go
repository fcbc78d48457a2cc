package core

import (
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// SharedCapacity has two pods with a share each of one device.
var SharedCapacity = harness.Case{Meta: spec.Meta{
	ID: "core/shared-capacity",
	Checks: "Two pods whose claims take the least that they may of one device see it both, each through its own claim. When one has gone, the other's container sees the device again when " +
		"it is started anew.",
	Requires: []spec.RequirementID{"kep-5075/share-id", "kep-4381/unprepare-each-prepared"},
	Needs: spec.Needs{
		Features: []spec.Feature{spec.ConsumableCapacity}, Profile: profiles.SharedCapacity(), Devices: 1, DriverFeatures: []spec.DriverFeature{spec.DriverConsumableCapacity},
	},
	Catches: []spec.MutantID{"driver-prepare-other-device"},
}, Run: func(t *harness.T) {
	request := t.Request("req")
	request.Exactly.Selectors = append(request.Exactly.Selectors, objects.Selector("device.allowMultipleAllocations == true"))
	request.Exactly.Capacity = &resourceapi.CapacityRequirements{Requests: shareOf(t)}
	for _, name := range []string{"first", "second"} {
		t.Create(objects.Claim(name, request))
		pod := t.Pod(name, name)
		pod.Spec.RestartPolicy = corev1.RestartPolicyAlways
		t.Create(pod)
	}
	shares := map[string]bool{}
	for _, name := range []string{"first", "second"} {
		t.WaitRunning(name)
		claim := t.WaitAllocated(name)
		result := claim.Status.Allocation.Devices.Results[0]
		t.Expect(result.ShareID).NotTo(gomega.BeNil(), "ID of the share of claim %s", name)
		shares[string(*result.ShareID)] = true
		t.ExpectDevices(name, "main", claim)
	}
	t.Expect(shares).To(gomega.HaveLen(2), "IDs of the two shares")

	t.RemovePod("first")
	t.WaitDeallocated("first")
	t.EndContainer("second", "main")
	t.WaitRunningAgain("second", 0)
	second := t.Claim("second")
	t.ExpectDevices("second", "main", second)
	t.ExpectHeld(second)
}}

// shareOf is the least that a claim may ask for of the first device that the driver shares: the
// others of its kind are like it.
func shareOf(t *harness.T) map[resourceapi.QualifiedName]resource.Quantity {
	share := map[resourceapi.QualifiedName]resource.Quantity{}
	for _, pool := range t.Pools() {
		for _, d := range pool.Devices() {
			if ptr.Deref(d.AllowMultipleAllocations, false) {
				for name, capacity := range d.Capacity {
					share[name] = least(capacity)
				}
				return share
			}
		}
	}
	t.Blockedf("the driver publishes no device with allowMultipleAllocations, and is said to have feature %s", spec.DriverConsumableCapacity)
	return nil
}

// least is the least that a claim may ask for of a capacity (resource/v1, CapacityRequestPolicy).
func least(c resourceapi.DeviceCapacity) resource.Quantity {
	switch p := c.RequestPolicy; {
	case p != nil && p.ValidRange != nil && p.ValidRange.Min != nil:
		return *p.ValidRange.Min
	case p != nil && len(p.ValidValues) > 0:
		return p.ValidValues[0] // they are in ascending order
	case c.Value.Cmp(resource.MustParse("1")) < 0:
		return c.Value
	default:
		return resource.MustParse("1")
	}
}
