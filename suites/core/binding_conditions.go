package core

import (
	"github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// BindingConditions has a pod get a device that somebody makes ready first.
var BindingConditions = harness.Case{Meta: spec.Meta{
	ID: "core/binding-conditions",
	Checks: "When a device with binding conditions is allocated, its vendor's controller makes it ready and has all of the conditions be true in the claim; the pod is bound then, and its " +
		"container sees the device. The same comes to pass for the next pod.",
	Requires: []spec.RequirementID{"kep-5007/controller-prepares", "kep-5007/waits-for-conditions"},
	Needs: spec.Needs{
		Features: []spec.Feature{spec.DeviceStatus, spec.BindingConditions}, Profile: profiles.FabricDevice(), Devices: 1,
		DriverFeatures: []spec.DriverFeature{spec.DriverBindingConditions},
	},
	Catches: []spec.MutantID{"driver-prepare-other-device"},
}, Run: func(t *harness.T) {
	t.AttachDevices(profiles.Attached, profiles.Configured)
	for _, name := range []string{"first", "second"} {
		t.Create(objects.Claim(name, t.Request("req")))
		t.RunPod(t.Pod(name, name))
		claim := t.WaitAllocated(name)
		conditions := 0
		for _, r := range claim.Status.Allocation.Devices.Results {
			for _, condition := range r.BindingConditions {
				conditions++
				t.Expect(claim.Status.Devices).To(gomega.ContainElement(gomega.And(
					gomega.HaveField("Driver", r.Driver), gomega.HaveField("Pool", r.Pool), gomega.HaveField("Device", r.Device),
					gomega.HaveField("Conditions", gomega.WithTransform(func(all []metav1.Condition) bool { return meta.IsStatusConditionTrue(all, condition) }, gomega.BeTrue())),
				)), "whether condition %s of device %s of pool %s is true when the pod runs", condition, r.Device, r.Pool)
			}
		}
		if conditions == 0 {
			t.Blockedf("claim %s was allocated devices without binding conditions: declare the class of those that have some with features: [%s], and selectors if need be", name, spec.DriverBindingConditions)
		}
		t.ExpectDevices(name, "main", claim)
		t.RemovePod(name)
		t.AwaitReleased(name)
	}
}}
