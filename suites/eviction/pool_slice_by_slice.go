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

package eviction

import (
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/spec"
)

// PoolSliceBySlice updates a pool of three slices one by one to the next generation with a taint.
// Pods of the other devices stay until their slice is updated.
var PoolSliceBySlice = harness.Case{Meta: spec.Meta{
	ID:       "eviction/pool-slice-by-slice",
	Checks:   "A NoExecute taint evicts pods also while the pool is incomplete.",
	Requires: []spec.RequirementID{"kep-5055/evict-by-slice"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.DeviceTaints}},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	names := []string{"a", "b", "c"}
	for _, name := range names {
		slice := t.Slice("pool", t.Nodes[0], named(name))
		slice.Name, slice.Spec.Pool.ResourceSliceCount = name+"-"+slice.Name, int64(len(names))
		t.Create(slice)
	}
	for _, name := range names {
		tolerant(t, class, name)
	}
	next := func(name string) {
		edit.Slice(t, name+"-"+t.Slice("pool", "").Name, func(s *resourceapi.ResourceSlice) {
			s.Spec.Pool.Generation++
			s.Spec.Devices[0].Taints = []resourceapi.DeviceTaint{broken(resourceapi.DeviceTaintEffectNoExecute)}
		})
	}

	next("a")
	t.WaitPodGone("a")
	stays(t, "b", "c")
	next("b")
	t.WaitPodGone("b")
	stays(t, "c")
	next("c")
	t.WaitPodGone("c")
}}
