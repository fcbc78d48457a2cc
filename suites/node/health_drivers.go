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
	corev1 "k8s.io/api/core/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// HealthOlderAPI uses a driver built before v1 of the health API.
var HealthOlderAPI = harness.Case{Meta: spec.Meta{
	ID:       "node/health-older-api",
	Checks:   "A container's status reports device health also for a driver serving only v1alpha1 of the health API.",
	Requires: []spec.RequirementID{"plugin-api/health-older-version"},
	Needs:    spec.Needs{Features: []spec.Feature{spec.ResourceHealthStatus}, Since: "1.36", Profile: profiles.Empty()},
}, Run: func(t *harness.T) {
	driver := simdriver.Second(t, profiles.ReportingHealth(profiles.OneDevice()), func(c *spec.DriverConfig) { c.OlderHealth = true })
	class := objects.Class(driver.Name, driver.Name)
	t.Create(class, objects.Claim("claim", objects.Request("req", class.Name)))
	t.RunPod(objects.Pod("pod", t.Image, "claim"))

	waitHealth(t, corev1.ResourceHealthStatusHealthy)
	driver.Publish(profiles.ReportingHealth(profiles.OneDevice(), "device-0"))
	waitHealth(t, corev1.ResourceHealthStatusUnhealthy)
}}

// HealthDriverGone stops a driver for longer than its reports are valid (30 s). The container keeps
// running.
var HealthDriverGone = harness.Case{Meta: spec.Meta{
	ID:       "node/health-driver-gone",
	Checks:   "A device's health is Unknown after its driver has gone and its last report has expired, and recovers with the driver.",
	Requires: []spec.RequirementID{"plugin-api/health-timeout", "kubeletplugin/health-watched-again"},
	Needs:    spec.Needs{Features: []spec.Feature{spec.ResourceHealthStatus}, Since: "1.36", Profile: profiles.ReportingHealth(profiles.OneDevice())},
	WaitsFor: "Health holds for up to 30 s, and is in the pod's status after the kubelet's next sync of the pod, after its syncFrequency and up to half of that more: " +
		"6 s in clusters created by dratest, a minute by default.",
	Timeout: resyncTimeout,
}, Run: func(t *harness.T) {
	const most = 30*time.Second + 90*time.Second + statusTime
	t.Create(objects.Claim("claim", objects.Request("req", t.CreateClass(nil))))
	t.RunPod(objects.Pod("pod", t.Image, "claim"))
	waitHealth(t, corev1.ResourceHealthStatusHealthy)

	simdriver.Of(t).Disconnect()
	gone := time.Now()
	waitHealth(t, corev1.ResourceHealthStatusUnknown)
	t.Expect(time.Since(gone)).To(gomega.BeNumerically("<", most), "time until the health of the device was unknown")
	simdriver.Of(t).Connect()
	pod := waitHealth(t, corev1.ResourceHealthStatusHealthy)
	t.Expect(statusOf(pod, "main").RestartCount).To(gomega.BeZero(), "restarts of the container")
}}
