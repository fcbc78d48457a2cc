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
	"fmt"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Selectors choose devices by attribute and by capacity.
var Selectors = harness.Case{Meta: spec.Meta{
	ID:       "core/selectors",
	Checks:   "Selectors on attributes and capacity, of class and request, leave only devices matching all of them.",
	Requires: []spec.RequirementID{"kep-4381/cel-selectors", "kep-4381/allocate-by-class"},
	Needs:    spec.Needs{Profile: profiles.FourKinds()},
	Catches:  []spec.MutantID{"driver-prepare-other-device"},
}, Run: func(t *harness.T) {
	class := t.CreateClass(func(c *resourceapi.DeviceClass) {
		c.Spec.Selectors = append(c.Spec.Selectors, objects.Selector(
			fmt.Sprintf("device.capacity[%q].%s.compareTo(quantity(%q)) > 0", t.DriverName(), profiles.Memory, "8Gi")))
	})
	// Each of the three excludes one device the others do not.
	byModel := func(model string) string {
		return fmt.Sprintf("device.attributes[%q].%s == %q", t.DriverName(), profiles.Model, model)
	}
	byIndex := fmt.Sprintf("device.attributes[%q].%s != 2", t.DriverName(), profiles.Index)
	t.Create(objects.Claim("fits", objects.Request("req", class, byModel("b"), byIndex)))
	t.Create(objects.Claim("contradicts", objects.Request("req", class, byModel("b"), byModel("a"))))

	t.Create(objects.Pod("pending", t.Image, "contradicts"))
	t.RunPod(objects.Pod("runs", t.Image, "fits"))

	t.Expect(t.WaitAllocated("fits")).To(matchers.HaveDevices("device-3"), "the only device matching all three selectors")
	t.Expect(t.Environment("runs", "main")).To(matchers.SeeOnlyDevices("device-3"), "devices of the container")
	t.WaitUnschedulable("pending", "cannot allocate all claims")
}}
