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
	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// OlderAPIServer serves only v1beta1 of the API, neither v1 nor v1beta2. It tests the library
// k8s.io/dynamic-resource-allocation in the test driver, not a vendor's driver.
var OlderAPIServer = harness.Case{Meta: spec.Meta{
	ID:       "node/older-api-server",
	Checks:   "The kubelet plugin library publishes devices and prepares claims with an API server serving only v1beta1.",
	Requires: []spec.RequirementID{"kep-4381/client-picks-version"},
	Needs:    spec.Needs{APIs: []string{"v1beta1"}, Profile: profiles.OneDevice()},
	Catches:  []spec.MutantID{"driver-slices-in-one-version"},
}, Run: func(t *harness.T) {
	driver := simdriver.Second(t, profiles.OneDevice(), func(c *spec.DriverConfig) {
		c.Publishing, c.Access = spec.PublishByHelper, spec.Access{Versions: []string{"v1beta1"}}
	})
	class := objects.Class(driver.Name, driver.Name)
	t.Create(class, objects.Claim("claim", objects.Request("req", class.Name)))
	t.RunPod(objects.Pod("pod", t.Image, "claim"))
	t.Expect(t.Environment("pod", "main")).To(matchers.SeeOnlyDevices("device-0"), "the device")
	t.RemovePod("pod")
	driver.AwaitUnprepared()
}}
