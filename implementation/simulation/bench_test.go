package simulation_test

import (
	"testing"

	"github.com/dra-conformance/dratest/implementation/bench/whatif"
	"github.com/dra-conformance/dratest/implementation/simulation"
)

const nodesInBench = 2000

// BenchmarkGrow: 1000 pods of 20 kinds wait, 2000 nodes have 8 devices each and all of
// them are in use, ten groups of different size and cost can grow.
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
