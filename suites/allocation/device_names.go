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

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// DeviceNames publishes a pool with two devices of the same name in different slices.
var DeviceNames = harness.Case{Meta: spec.Meta{
	ID:       "allocation/device-names",
	Checks:   "A pool with two devices of the same name is not allocated from until the names differ.",
	Requires: []spec.RequirementID{"kep-4381/device-names-unique-in-pool"},
	Needs:    spec.Needs{NoKubelet: true},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	first, second := t.Slice("double", t.Nodes[0], profiles.Device(0, "a", "8Gi"), profiles.Device(1, "a", "8Gi")), t.Slice("double", t.Nodes[0], profiles.Device(1, "a", "8Gi"))
	second.Name += "-2"
	first.Spec.Pool.ResourceSliceCount, second.Spec.Pool.ResourceSliceCount = 2, 2
	t.Create(first, second)
	t.Publish("good", t.Nodes[0], profiles.Device(2, "b", "8Gi"))

	t.Expect(results(use(t, objects.Claim("good", objects.Request("req", class))))).To(gomega.Equal([]string{"req=good/device-2"}), "device of the other pool")
	t.Create(objects.Claim("any", objects.Request("req", class)), objects.Pod("any", t.Image, "any"))
	t.WaitUnschedulable("any", "invalid resource pools were encountered")
	edit.Slice(t, second.Name, func(s *resourceapi.ResourceSlice) { s.Spec.Devices[0].Name = "device-3" })
	t.Expect(used(t, "any")).To(matchers.HaveDevicesFrom("double"), "pool of the device")
}}
