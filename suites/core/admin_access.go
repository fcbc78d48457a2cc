package core

import (
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// AdminAccess has an administrator's pod come to a device that another pod uses, and go.
var AdminAccess = harness.Case{Meta: spec.Meta{
	ID: "core/admin-access",
	Checks: "A pod whose claim has admin access sees the device of another pod that uses it; the other's container sees its device again when it is started anew after the administrator's pod " +
		"has gone.",
	Requires: []spec.RequirementID{"kep-5018/admin-access-shares", "kep-5018/admin-in-result"},
	Needs: spec.Needs{
		Features: []spec.Feature{spec.AdminAccess}, Profile: profiles.OneDevice(), Devices: 1, DriverFeatures: []spec.DriverFeature{spec.DriverAdminAccess},
	},
	Catches: []spec.MutantID{"driver-prepare-other-device"},
}, Run: func(t *harness.T) {
	t.AllowAdminAccess()
	t.Create(objects.Claim("user", t.Request("req")))
	user := t.Pod("user", "user")
	user.Spec.RestartPolicy = corev1.RestartPolicyAlways
	node := t.RunPod(user).Spec.NodeName
	used := t.WaitAllocated("user")
	t.ExpectDevices("user", "main", used)

	// All devices of a node, so that the one in use is among them.
	request := t.Request("req")
	request.Exactly.AdminAccess, request.Exactly.AllocationMode = ptr.To(true), resourceapi.DeviceAllocationModeAll
	t.Create(objects.Claim("admin", request))
	t.RunPod(objects.OnlyOn(t.Pod("admin", "admin"), node))
	admin := t.WaitAllocated("admin")
	own := used.Status.Allocation.Devices.Results[0]
	t.Expect(admin.Status.Allocation.Devices.Results).To(gomega.ContainElement(gomega.And(
		gomega.HaveField("Pool", own.Pool), gomega.HaveField("Device", own.Device), gomega.HaveField("AdminAccess", gomega.HaveValue(gomega.BeTrue())),
	)), "devices that are allocated to the administrator's claim: that of the user is among them")
	t.ExpectDevices("admin", "main", admin)

	t.RemovePod("admin")
	t.WaitDeallocated("admin")
	t.EndContainer("user", "main")
	t.WaitRunningAgain("user", 0)
	t.ExpectDevices("user", "main", used)
	t.ExpectHeld(used)
}}
