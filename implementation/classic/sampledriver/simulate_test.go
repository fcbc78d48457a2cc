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

package sampledriver_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/implementation/classic/api/v1alpha1"
	"github.com/dra-conformance/dratest/implementation/classic/controller"
	"github.com/dra-conformance/dratest/implementation/classic/sampledriver"
)

// A simulation starts with the current allocations, knows the given nodes, and does not change the
// driver.
func TestSimulate(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state.json")
	d := newDriver(t, sampledriver.Config{Devices: 1, StateFile: file, Nodes: "rack=1", FailAllocate: 1})
	allocate(t, d, claim("c1"), "a") // injected failure
	want(t, allocate(t, d, claim("c1"), "a"), "a/device-0 true 0")
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var nodes []*corev1.Node
	for name, rack := range map[string]string{"a": "1", "new": "1", "other": "2"} {
		nodes = append(nodes, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"rack": rack}}})
	}
	simulated, err := d.Simulate(t.Context(), nodes)
	if err != nil {
		t.Fatal(err)
	}
	unsuitable, err := simulated.UnsuitableNodes(t.Context(), nil, []*controller.Claim{claim("c2")}, []string{"a", "b", "new", "other"})
	if err != nil || !slices.Equal(unsuitable["c2"], []string{"a", "b", "other"}) {
		t.Errorf("unsuitable %v, %v", unsuitable, err)
	}
	slow := claim("c2") // It fails twice at first.
	slow.Config.ParametersRef = &v1alpha1.ClaimParametersReference{Kind: "ConfigMap", Name: "slow"}
	want(t, allocate(t, simulated, slow, "new"), "new/device-0 true 0")
	want(t, allocate(t, simulated, claim("c3"), "new"), "no device is free")
	if err := simulated.Deallocate(t.Context(), record("c1")); err != nil {
		t.Error(err)
	}
	want(t, allocate(t, simulated, claim("c3"), "a"), "a/device-0 true 0")
	if after, err := os.ReadFile(file); err != nil || string(after) != string(before) {
		t.Errorf("the state changed to %s, %v", after, err)
	}
	want(t, allocate(t, d, claim("c3"), "a"), "no device is free")
}

// Two simulations are independent.
func TestSimulationsAreApart(t *testing.T) {
	d := newDriver(t, sampledriver.Config{Devices: 1})
	node := []*corev1.Node{{ObjectMeta: metav1.ObjectMeta{Name: "new"}}}
	for range 2 {
		simulated, err := d.Simulate(t.Context(), node)
		if err != nil {
			t.Fatal(err)
		}
		want(t, allocate(t, simulated, claim("c1"), ""), "new/device-0 true 0")
	}
}
