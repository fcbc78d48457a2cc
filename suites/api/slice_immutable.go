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

package api

import (
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// SliceImmutable tries to change the driver, pool and node of a slice.
var SliceImmutable = harness.Case{Meta: spec.Meta{
	ID:       "api/slice-immutable",
	Checks:   "Driver, pool name and node name of a slice are immutable, its devices and generation are not.",
	Requires: []spec.RequirementID{"kep-4381/slice-driver-immutable", "kep-4381/pool-name-immutable", "kep-4381/slice-node-name-immutable"},
	Needs:    spec.Needs{NoNode: true},
}, Run: func(t *harness.T) {
	slice := objects.NetworkSlice(t.Namespace, driver, "pool", resourceapi.Device{Name: "device"})
	slice.Spec.AllNodes, slice.Spec.NodeName = nil, &t.Namespace // a missing node
	t.Create(slice)
	slices := t.Client.ResourceV1().ResourceSlices()
	stored, err := slices.Get(t.Context(), slice.Name, metav1.GetOptions{})
	t.NoError(err, "get the slice")

	change := func(change func(*resourceapi.ResourceSliceSpec)) func(*resourceapi.ResourceSlice) {
		return func(s *resourceapi.ResourceSlice) { change(&s.Spec) }
	}
	other, yes := "other", true
	devices := change(func(s *resourceapi.ResourceSliceSpec) { s.Devices = nil })
	generation := change(func(s *resourceapi.ResourceSliceSpec) { s.Pool.Generation, s.Pool.ResourceSliceCount = 2, 2 })
	node := change(func(s *resourceapi.ResourceSliceSpec) { s.NodeName = &other })
	all := change(func(s *resourceapi.ResourceSliceSpec) { s.NodeName, s.AllNodes = nil, &yes })
	judge(t, stored.DeepCopy, update(t, slices), []rule[*resourceapi.ResourceSlice]{
		{"another driver", devices, change(func(s *resourceapi.ResourceSliceSpec) { s.Driver = other }), "spec.driver", invalid},
		{"another pool", generation, change(func(s *resourceapi.ResourceSliceSpec) { s.Pool.Name = other }), "spec.pool.name", invalid},
		{"another node", devices, node, "spec.nodeName", invalid},
		{"all nodes instead of one", devices, all, "spec.nodeName", invalid},
	}...)
}}
