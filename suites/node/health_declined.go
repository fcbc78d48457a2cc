package node

import (
	"time"

	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// HealthDeclined has a driver say that it does not tell of health.
var HealthDeclined = harness.Case{Meta: spec.Meta{
	ID:       "node/health-declined",
	Checks:   "A kubelet does not ask a driver for health again that has said that it does not report it, not for 10 s and a second pod either, and uses it as any other.",
	Requires: []spec.RequirementID{"kubeletplugin/no-health-support"},
	Needs:    spec.Needs{Since: "1.37", Features: []spec.Feature{spec.ResourceHealthStatus}, Profile: profiles.OneDevice()},
	WaitsFor: "A kubelet renews its lease every 10 s (pkg/kubelet/kubelet.go, NodeLeaseDurationSeconds), and asks for health again 5 s after an error (pkg/kubelet/cm/dra/plugin/dra_plugin_manager.go).",
}, Run: func(t *harness.T) {
	driver := t.SecondDriverAs(profiles.ReportingHealth(profiles.OneDevice()), func(c *spec.DriverConfig) { c.DeclinesHealth = true })
	class := objects.Class(driver.Name, driver.Name)
	t.Create(class)
	use := func(name string) (node string) {
		t.Create(objects.Claim(name, objects.Request("req", class.Name)))
		pod := t.RunPod(objects.Pod(name, t.Image, name))
		t.RemovePod(name)
		driver.AwaitUnprepared()
		t.WaitDeallocated(name)
		return pod.Spec.NodeName
	}
	node := use("first")
	t.Expect(driver.Status().HealthAsked).To(gomega.BeEquivalentTo(1), "how often the kubelet has asked for health in the beginning")
	// Twice what the kubelet waits before it asks again after an error lies between the two.
	renewed(t, node, time.Time{}, 1+2)
	use("second")
	t.Expect(driver.Status().HealthAsked).To(gomega.BeEquivalentTo(1), "how often the kubelet has asked for health")
}}
