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

package node

import (
	"time"

	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// HealthDeclined uses a driver without health reporting. The kubelet must not ask again within 10
// s, nor for a second pod.
var HealthDeclined = harness.Case{Meta: spec.Meta{
	ID:       "node/health-declined",
	Checks:   "The kubelet does not ask again for health after a driver has reported it as unimplemented.",
	Requires: []spec.RequirementID{"kubeletplugin/no-health-support"},
	Needs:    spec.Needs{Since: "1.37", Features: []spec.Feature{spec.ResourceHealthStatus}, Profile: profiles.OneDevice()},
	WaitsFor: "A kubelet renews its lease every 10 s (pkg/kubelet/kubelet.go, NodeLeaseDurationSeconds), and asks for health again 5 s after an error (pkg/kubelet/cm/dra/plugin/dra_plugin_manager.go).",
}, Run: func(t *harness.T) {
	driver := simdriver.Second(t, profiles.ReportingHealth(profiles.OneDevice()), func(c *spec.DriverConfig) { c.DeclinesHealth = true })
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
	// Two renewals take twice the kubelet's retry delay after an error.
	renewed(t, node, time.Time{}, 1+2)
	use("second")
	t.Expect(driver.Status().HealthAsked).To(gomega.BeEquivalentTo(1), "how often the kubelet has asked for health")
}}
