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
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Incomplete has a pool with one of its two slices missing, and a complete pool of the older
// generation.
var Incomplete = harness.Case{Meta: spec.Meta{
	ID:       "pools/incomplete",
	Checks:   "A pool status request reports no numbers for a pool with missing slices until it is complete.",
	Requires: []spec.RequirementID{"kep-5677/incomplete-pool"},
	Needs:    needs(),
}, Run: func(t *harness.T) {
	old := t.Slice("old", "", profiles.Device(0, "a", "8Gi"))
	first, second := t.Slice("first", "", profiles.Device(0, "a", "8Gi"), profiles.Device(1, "a", "8Gi")), t.Slice("second", "", profiles.Device(2, "a", "8Gi"))
	for _, s := range []*resourceapi.ResourceSlice{first, second} {
		s.Spec.Pool = resourceapi.ResourcePool{Name: "pool", Generation: 2, ResourceSliceCount: 2}
	}
	old.Spec.Pool.Name = "pool"
	t.Create(old)
	expectAnswer(t, "the old generation", about(t), gomega.Equal([]string{
		"Complete of 1 pools", `pool on "", generation 1, 1 slices: 1 devices, 0 allocated, 1 available, 0 unavailable`,
	}))
	t.Create(first)
	// Once the controller reports this pool, it also knows the earlier slice.
	t.Publish("witness", "", profiles.Device(0, "a", "8Gi"))
	expectAnswer(t, "a complete pool", about(t, "witness"), gomega.HaveExactElements("Complete of 1 pools", gomega.HavePrefix("witness")))
	ask(t, "incomplete", about(t, "pool"))
	expectAnswer(t, "a complete pool", about(t, "witness"), gomega.HaveExactElements("Complete of 1 pools", gomega.HavePrefix("witness")))
	// Kubernetes sets no status, although the API allows an error without numbers.
	status, err := look(t.Context(), t, "incomplete")
	t.NoError(err, "look for an answer")
	if status != nil {
		const line = `pool on "", generation 2, ? slices: ? devices, ? allocated, ? available, ? unavailable; PoolIncomplete`
		t.Expect(answer(t, status)[1:]).To(gomega.Equal([]string{line}), "status of an incomplete pool")
	}

	t.Create(second)
	expectAnswer(t, "the new generation", about(t, "pool"), gomega.Equal([]string{
		"Complete of 1 pools", `pool on "", generation 2, 2 slices: 3 devices, 0 allocated, 3 available, 0 unavailable`,
	}))
}}
