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
	"context"
	"strings"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// DevicesWithdrawn takes devices out of the inventory while they are allocated.
var DevicesWithdrawn = harness.Case{Meta: spec.Meta{
	ID:       "allocation/devices-withdrawn",
	Checks:   "A claim keeps its allocation while its device is unpublished, and the device is still the claim's afterwards.",
	Requires: []spec.RequirementID{"kep-4381/slice-removal-keeps-allocation", "kep-4381/more-allocated-than-published", "kep-4381/driver-gone-not-scheduled"},
	Needs:    spec.Needs{NoKubelet: true},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	devices := profiles.FourDevices().Pools[0].Devices
	pool := t.Publish("pool", t.Nodes[0], devices[:2]...)
	two := use(t, objects.Claim("two", count("req", class, 2)))

	edit.Slice(t, pool.Name, func(s *resourceapi.ResourceSlice) { s.Spec.Devices = devices[2:3] })
	t.Expect(use(t, objects.Claim("third", objects.Request("req", class)))).To(matchers.HaveDevices("device-2"), "the only published device")
	wait(t, objects.Claim("fourth", objects.Request("req", class)))
	t.Delete(pool)
	t.Create(objects.Claim("fifth", objects.Request("req", class)), objects.Pod("fifth", t.Image, "fifth"))
	t.WaitUnschedulable("fifth", noDevices)
	t.Expect(t.Claim("two").Status).To(gomega.Equal(two.Status), "status of the claim after its devices were withdrawn")

	t.Publish("pool", t.Nodes[0], devices[0], devices[1], devices[3])
	t.Poll("one of the two pods to be scheduled", func(context.Context) (bool, string, error) {
		var got []string
		for _, name := range []string{"fourth", "fifth"} {
			got = append(got, results(t.Claim(name))...)
		}
		return len(got) > 0, strings.Join(got, " "), nil
	})
	t.Expect(append(results(t.Claim("fourth")), results(t.Claim("fifth"))...)).To(gomega.Equal([]string{"req=pool/device-3"}), "the only free device")
	t.Expect(t.Claim("two").Status).To(gomega.Equal(two.Status), "status of the claim after its devices returned")
}}
