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
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ClassAppears lets a pod wait for a device class, and for its selector to match.
var ClassAppears = harness.Case{Meta: spec.Meta{
	ID:       "core/class-appears",
	Checks:   "A pod whose device class is missing stays pending and names it, and is scheduled once the class selects a device.",
	Requires: []spec.RequirementID{"kep-4381/unschedulable-says-why", "kep-4381/class-change-retries"},
	Needs:    spec.Needs{Profile: profiles.OneDevice()},
	Catches:  []spec.MutantID{"driver-prepare-other-device"},
}, Run: func(t *harness.T) {
	class := t.DriverName()
	t.Create(objects.Claim("claim", objects.Request("req", class)))
	t.Create(objects.Pod("pod", t.Image, "claim"))
	t.WaitUnschedulable("pod", "device class "+class+" does not exist")

	t.CreateClass(func(c *resourceapi.DeviceClass) {
		c.Spec.Selectors = []resourceapi.DeviceSelector{objects.Selector("false")}
	})
	t.WaitUnschedulable("pod", "cannot allocate all claims")
	edit.Class(t, class, func(c *resourceapi.DeviceClass) { c.Spec = objects.Class(class, t.DriverName()).Spec })

	t.WaitRetried("pod")
	t.WaitRunning("pod")
	t.Expect(t.Environment("pod", "main")).To(matchers.SeeOnlyDevices("device-0"), "the device")
}}
