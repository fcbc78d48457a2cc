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
	"slices"
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

// An init container uses the devices of those starting after it, and none of a sidecar before it.
func TestExtendedNeeded(t *testing.T) {
	wants := func(kind problem.ContainerKind, count int64) problem.Container {
		return problem.Container{Kind: kind, Extended: map[string]int64{"a/b": count, "a/none": 0}}
	}
	for _, tc := range []struct {
		name       string
		containers []problem.Container
		needed     int64
	}{
		{"containers", []problem.Container{wants(problem.Main, 1), wants(problem.Main, 2)}, 3},
		{"init container", []problem.Container{wants(problem.Init, 2), wants(problem.Init, 3), wants(problem.Main, 1)}, 3},
		{"sidecar later", []problem.Container{wants(problem.Init, 2), wants(problem.Sidecar, 1), wants(problem.Main, 1)}, 2},
		{"sidecar before", []problem.Container{wants(problem.Sidecar, 1), wants(problem.Init, 2), wants(problem.Main, 1)}, 3},
	} {
		pod := problem.Pod{Containers: tc.containers}
		if got := pod.Extended(); len(got) != 1 || got["a/b"] != tc.needed {
			t.Errorf("%s: %v, want %d", tc.name, got, tc.needed)
		}
	}
}

// Only devices of one pool and generation must have different names.
func TestNamesakes(t *testing.T) {
	slice := func(name, pool string, generation int64, devices ...string) resourceapi.ResourceSlice {
		s := resourceapi.ResourceSlice{Spec: resourceapi.ResourceSliceSpec{Pool: resourceapi.ResourcePool{Name: pool, Generation: generation}}}
		s.Name = name
		for _, name := range devices {
			s.Spec.Devices = append(s.Spec.Devices, resourceapi.Device{Name: name})
		}
		return s
	}
	p := &problem.Problem{Slices: []resourceapi.ResourceSlice{
		slice("s0", "a", 1, "dev", "dev-2"), slice("s1", "a", 2, "dev"), slice("s2", "b", 1, "twice", "dev", "twice"), slice("s3", "a", 1, "dev", "other"),
	}}
	var got []string
	for _, devices := range p.Namesakes() {
		for _, d := range devices {
			got = append(got, d.Name+" "+d.Device.Name)
		}
	}
	if want := []string{"s2 twice", "s2 twice", "s0 dev", "s3 dev"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
