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

package pools

import (
	"slices"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/issues"
	"github.com/dra-conformance/dratest/framework/spec"
)

// UsedUp has two shareable devices, one of them without any capacity left.
var UsedUp = harness.Case{Meta: spec.Meta{
	ID:         "pools/used-up",
	Checks:     "A pool status request counts a shareable device without capacity left as neither fully nor partially available.",
	Requires:   []spec.RequirementID{"kep-5677/shareable-summary"},
	Needs:      needs(spec.ConsumableCapacity),
	KnownIssue: issues.Known("pool-status-used-up"),
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	var devices []resourceapi.Device
	for _, name := range []string{"free", "used"} {
		devices = append(devices, resourceapi.Device{
			Name: name, AllowMultipleAllocations: ptr.To(true), Capacity: map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{"memory": {Value: resource.MustParse("10Gi")}},
		})
	}
	t.Publish("pool", "", devices...)
	allocate(t, "claim", class, "pool", shareOf("used", "b5a2e4ba-4a5a-4a7b-8a54-31a8a8a9c001", map[resourceapi.QualifiedName]string{"memory": "10Gi"}))

	status := func(partially string) []string {
		return []string{"Complete of 1 pools", `pool on "", generation 1, 1 slices: 2 devices, 1 allocated, 1 available, 0 unavailable; shared: 1 fully, ` +
			partially + ` partially available, memory 20Gi - 10Gi = 10Gi`}
	}
	right, partial := status("0"), status("1")
	if said := expectAnswer(t, "the status with a device that is used up", about(t), gomega.Or(gomega.Equal(right), gomega.Equal(partial))); slices.Equal(said, partial) {
		t.KnownIssue("expected a device without capacity left not to be partially available, got %q", said)
	}
}}
