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

package problem_test

import (
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/dra-conformance/dratest/framework/problem"
)

// A capacity published by both names had either value, at random.
func TestLocalCapacities(t *testing.T) {
	for range 32 { // the order of maps is random
		p := &problem.Problem{Slices: []resourceapi.ResourceSlice{{Spec: resourceapi.ResourceSliceSpec{
			Driver: "gpu.example.com",
			Devices: []resourceapi.Device{{Capacity: map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{
				"memory":                 {Value: resource.MustParse("1")},
				"gpu.example.com/memory": {Value: resource.MustParse("2")},
				"gpu.example.com/cores":  {Value: resource.MustParse("3")},
				"other.example.com/x":    {Value: resource.MustParse("4")},
			}}},
		}}}}
		if !p.LocalCapacities() || p.LocalCapacities() {
			t.Fatal("the names are not local after one edit")
		}
		got := p.Slices[0].Spec.Devices[0].Capacity
		for name, want := range map[resourceapi.QualifiedName]int64{"memory": 1, "cores": 3, "other.example.com/x": 4} {
			if value := got[name].Value; value.Value() != want || len(got) != 3 {
				t.Fatalf("%s: got %v, want %d", name, got, want)
			}
		}
	}
}
