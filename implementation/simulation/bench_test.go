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

package simulation_test

import (
	"testing"

	"github.com/dra-conformance/dratest/implementation/bench/whatif"
	"github.com/dra-conformance/dratest/implementation/simulation"
)

const nodesInBench = 2000

// BenchmarkGrow has 1000 waiting pods of 20 kinds, 2000 nodes with 8 devices each, all in use, and ten
// groups of different size and cost.
func BenchmarkGrow(b *testing.B) {
	objects, groups := whatif.Problem(nodesInBench)
	for i, g := range groups {
		g.Cost = int64(10 + 9*i)
	}
	b.ReportAllocs()
	for b.Loop() {
		s, err := simulation.New(b.Context(), objects, simulation.Config{})
		if err != nil {
			b.Fatal(err)
		}
		growth, err := s.Grow(b.Context(), s.Pending(), groups)
		if err != nil {
			b.Fatal(err)
		}
		if len(growth.Placements) != whatif.Pods || len(growth.Unserved()) > 0 {
			b.Fatalf("%d of %d pods have no node", len(growth.Unserved()), len(growth.Placements))
		}
		b.ReportMetric(float64(growth.Cost), "cost")
		b.ReportMetric(float64(growth.Bound), "bound")
	}
}
