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

package allocation

import (
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// DeviceIdentity has devices of the same name in two pools and of two drivers.
var DeviceIdentity = harness.Case{Meta: spec.Meta{
	ID:       "allocation/device-identity",
	Checks:   "Devices of one name in two pools or of two drivers are different devices.",
	Requires: []spec.RequirementID{"kep-4381/device-identity"},
	Needs:    spec.Needs{NoKubelet: true},
}, Run: func(t *harness.T) {
	other := otherDriver(t)
	class := t.CreateClass(func(c *resourceapi.DeviceClass) {
		c.Spec.Selectors = []resourceapi.DeviceSelector{objects.Selector("device.driver == '" + t.DriverName() + "' || device.driver == '" + other + "'")}
	})
	t.Publish("a", "", device("same", nil))
	t.Publish("b", "", device("same", nil))
	t.Create(objects.NetworkSlice("other-"+t.DriverName(), other, "a", device("same", nil)))

	var got []string
	for _, name := range []string{"first", "second", "third"} {
		r := use(t, objects.Claim(name, objects.Request("req", class))).Status.Allocation.Devices.Results[0]
		got = append(got, r.Driver+"/"+r.Pool+"/"+r.Device)
	}
	t.Expect(got).To(gomega.ConsistOf(t.DriverName()+"/a/same", t.DriverName()+"/b/same", other+"/a/same"), "devices of three claims")
	wait(t, objects.Claim("fourth", objects.Request("req", class)))
}}
