package node

import (
	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// OlderAPIServer has a driver come to an API server that knows nothing but an older version of
// the API.
var OlderAPIServer = harness.Case{Meta: spec.Meta{
	ID: "node/older-api-server",
	Checks: "A driver that uses the library publishes its devices and prepares claims where the API server answers only v1beta1 of the API, and does not know v1 and v1beta2." +
		" It shows the library of k8s.io/dynamic-resource-allocation in the test driver, not a vendor's driver.",
	Requires: []spec.RequirementID{"kep-4381/client-picks-version"},
	Needs:    spec.Needs{APIs: []string{"v1beta1"}, Profile: profiles.OneDevice()},
	Catches:  []spec.MutantID{"driver-slices-in-one-version"},
}, Run: func(t *harness.T) {
	driver := t.SecondDriverAs(profiles.OneDevice(), func(c *spec.DriverConfig) {
		c.Publishing, c.Access = spec.PublishByHelper, spec.Access{Versions: []string{"v1beta1"}}
	})
	class := objects.Class(driver.Name, driver.Name)
	t.Create(class, objects.Claim("claim", objects.Request("req", class.Name)))
	t.RunPod(objects.Pod("pod", t.Image, "claim"))
	t.Expect(t.Environment("pod", "main")).To(matchers.SeeOnlyDevices("device-0"), "the device")
	t.RemovePod("pod")
	driver.AwaitUnprepared()
}}
