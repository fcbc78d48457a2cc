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
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Parameters checks that both kinds of parameters reach the driver.
var Parameters = harness.Case{Meta: spec.Meta{
	ID:       "core/parameters",
	Checks:   "Parameters of the claim and of the class both reach the driver, and the class's are marked as such.",
	Requires: []spec.RequirementID{"kep-4381/config-from-class", "kep-4381/config-from-claim"},
	Needs:    spec.Needs{Profile: profiles.OneDevice()},
	Catches:  []spec.MutantID{"driver-prepare-no-parameters", "driver-prepare-mixed-parameters"},
}, Run: func(t *harness.T) {
	class := t.CreateClass(func(c *resourceapi.DeviceClass) {
		c.Spec.Config = []resourceapi.DeviceClassConfiguration{
			objects.ClassParameters(t.DriverName(), map[string]string{"power": "low", "a": "class"}),
		}
	})
	claim := objects.Claim("claim", objects.Request("req", class))
	claim.Spec.Devices.Config = []resourceapi.DeviceClaimConfiguration{
		objects.ClaimParameters(t.DriverName(), map[string]string{"a": "claim"}),
	}
	t.Create(claim)

	t.RunPod(objects.Pod("pod", t.Image, "claim"))

	env := t.Environment("pod", "main")
	t.Expect(env).To(matchers.SeeClassParameter("power", "low"), "the class's parameter")
	t.Expect(env).To(matchers.SeeClassParameter("a", "class"), "the class's parameter also set by the claim")
	t.Expect(env).To(matchers.SeeClaimParameter("a", "claim"), "the claim's parameter also set by the class")
	var sources []resourceapi.AllocationConfigSource
	for _, c := range t.WaitAllocated("claim").Status.Allocation.Devices.Config {
		sources = append(sources, c.Source)
	}
	t.Expect(sources).To(gomega.Equal([]resourceapi.AllocationConfigSource{
		resourceapi.AllocationConfigSourceClass, resourceapi.AllocationConfigSourceClaim,
	}), "the sources in the allocation")
}}
