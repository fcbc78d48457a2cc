package node

import (
	"slices"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// SharedDevice has two pods with a share each of one device.
var SharedDevice = harness.Case{Meta: spec.Meta{
	ID: "node/shared-device",
	Checks: "The containers of two pods with a share each of one device have it, each through its own claim; the podresources API tells each share by its ID, and the health of the device is " +
		"in the status of both. One share stays prepared when the other is unprepared.",
	Requires: []spec.RequirementID{"kep-5075/share-in-podresources", "kep-4680/health-in-status", "kep-4381/unprepare-after-last"},
	Needs: spec.Needs{
		Features: []spec.Feature{spec.ConsumableCapacity, spec.ResourceHealthStatus}, Profile: profiles.ReportingHealth(profiles.SharedCapacity()),
	},
	Catches: []spec.MutantID{"driver-prepare-other-device"},
}, Run: func(t *harness.T) {
	class, claims := t.CreateClass(nil), []string{"first", "second"}
	ids := map[string]string{}
	for _, name := range claims {
		t.Create(objects.Claim(name, objects.Request("req", class)))
		t.RunPod(objects.OnlyOn(objects.Pod(name, t.Image, name), t.Nodes[0]))
		result := t.Claim(name).Status.Allocation.Devices.Results[0]
		t.Expect(result.ShareID).NotTo(gomega.BeNil(), "ID of the share of claim %s", name)
		ids[name] = string(*result.ShareID)
		t.ExpectDevices(name, "main", t.Claim(name))
	}
	t.Expect(ids["first"]).NotTo(gomega.Equal(ids["second"]), "ID of the first share, and not that of the second")
	for _, name := range claims {
		found := t.PodResources(name)
		for answer, devices := range map[string][]spec.ContainerDevice{"List": found.List, "Get": found.Get} {
			t.Expect(devices).To(gomega.ConsistOf(gomega.And(gomega.HaveField("Device", "device-0"), gomega.HaveField("Share", ids[name]))), "devices of pod %s in the answer to %s", name, answer)
		}
	}

	t.Driver.Publish(profiles.ReportingHealth(profiles.SharedCapacity(), "device-0"))
	for _, name := range claims {
		t.WaitPod(name, "one whose container has a device that is unhealthy", func(p *corev1.Pod) (bool, error) {
			return slices.Equal(healthOf(statusOf(p, "main")), []corev1.ResourceHealthStatus{corev1.ResourceHealthStatusUnhealthy}), nil
		})
	}

	t.RemovePod("first")
	t.WaitDeallocated("first")
	t.ExpectHeld(t.Claim("second"))
	t.RemovePod("second")
	t.Driver.AwaitUnprepared()
}}
