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

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/issues"
	"github.com/dra-conformance/dratest/framework/spec"
)

// UnavailableOnce has a device that is both allocated and tainted.
var UnavailableOnce = harness.Case{Meta: spec.Meta{
	ID:         "pools/unavailable-once",
	Checks:     "A pool status request counts an allocated device with a taint as allocated only.",
	Requires:   []spec.RequirementID{"kep-5677/pool-unavailable"},
	Needs:      needs(spec.DeviceTaints),
	KnownIssue: issues.Known("pool-status-taints"),
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	tainted := profiles.Device(0, "a", "8Gi")
	tainted.Taints = []resourceapi.DeviceTaint{{Key: "example.com/taint", Effect: resourceapi.DeviceTaintEffectNoSchedule}}
	t.Publish("pool", "", tainted, profiles.Device(1, "a", "8Gi"), profiles.Device(2, "a", "8Gi"))
	allocate(t, "claim", class, "pool", resourceapi.DeviceRequestAllocationResult{Device: "device-0"})

	const line = `pool on "", generation 1, 1 slices: 3 devices, 1 allocated, `
	right, twice := []string{"Complete of 1 pools", line + "2 available, 0 unavailable"}, []string{"Complete of 1 pools", line + "1 available, 1 unavailable"}
	if said := expectAnswer(t, "the status with an allocated and tainted device", about(t), gomega.Or(gomega.Equal(right), gomega.Equal(twice))); slices.Equal(said, twice) {
		t.KnownIssue("expected the allocated device not to count as unavailable, got %q", said)
	}
}}
