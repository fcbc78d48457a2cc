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

package extended

import (
	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ExplicitName requests an extended resource by the class's extendedResourceName.
var ExplicitName = harness.Case{Meta: spec.Meta{
	ID:       "extended/explicit-name",
	Checks:   "A container requesting one unit of a class's extendedResourceName gets one device of this class.",
	Requires: []spec.RequirementID{"kep-5004/explicit-name"},
	Needs:    spec.Needs{Features: []spec.Feature{spec.ExtendedResource}, Profile: profiles.TwoDevices()},
	Catches:  []spec.MutantID{"driver-prepare-other-device"},
}, Run: func(t *harness.T) {
	resource := createClass(t)

	t.RunPod(objects.PodWanting("pod", t.Image, map[string]int64{resource: 1}))

	seen := matchers.DevicesIn(t.Environment("pod", "main"))
	t.Expect(seen).To(gomega.HaveLen(1), "devices of the container")
	t.Expect(seen[0]).To(gomega.BeElementOf("device-0", "device-1"), "the device")
}}
