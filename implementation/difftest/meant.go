package difftest

import (
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/implementation/difftest/problem"
	"github.com/dra-conformance/dratest/implementation/inventory"
)

// Meant is a difference that this project wants.
type Meant struct {
	Name, Reason string
	// Covers says whether it explains a difference that was found in a problem.
	Covers func(*problem.Problem, *Difference) bool
}

// MeantDifferences is the list of them; keep it short.
func MeantDifferences() []Meant {
	return []Meant{
		{
			Name: "slices that disagree about their number",
			Reason: "Upstream believes the slice of a pool that it happens to see first, in the order of its cache, " +
				"so that the same slices make a complete pool once and an incomplete one another time. " +
				"No allocator that answers the same question the same way can do as it does.",
			Covers: func(p *problem.Problem, d *Difference) bool {
				return (d.Own.Kind != d.Upstream.Kind || d.What == "devices" || d.What == "number of devices") && countsDisagree(p)
			},
		},
	}
}

// countsDisagree says whether slices of the same generation of a pool announce
// different numbers of slices.
func countsDisagree(p *problem.Problem) bool {
	type key struct {
		inventory.PoolID
		generation int64
	}
	announced := map[key]int64{}
	for i := range p.Slices {
		spec := &p.Slices[i].Spec
		k := key{poolID(spec), spec.Pool.Generation}
		if n, ok := announced[k]; ok && n != spec.Pool.ResourceSliceCount {
			return true
		}
		announced[k] = spec.Pool.ResourceSliceCount
	}
	return false
}

func poolID(spec *resourceapi.ResourceSliceSpec) inventory.PoolID {
	return inventory.PoolID{Driver: spec.Driver, Pool: spec.Pool.Name}
}

// explain returns the meant difference that covers d, nil if none does.
func explain(p *problem.Problem, d *Difference) *Meant {
	for _, meant := range MeantDifferences() {
		if meant.Covers(p, d) {
			return &meant
		}
	}
	return nil
}
