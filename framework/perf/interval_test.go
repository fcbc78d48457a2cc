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

package perf

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The largest sums significant at 5 %, two-sided, from tables of Wilcoxon's signed-rank test.
func TestRuledOut(t *testing.T) {
	for n, largest := range map[int]int{MinBlocks - 1: -1, MinBlocks: 0, 7: 2, 8: 3, 9: 5, 10: 8, 15: 25, 20: 52, 25: 89} {
		if got := ruledOut(n) - 1; got != largest {
			t.Errorf("%d values: %d, want %d", n, got, largest)
		}
	}
}

func TestRatioIntervalOfFew(t *testing.T) {
	center, low, high := ratioInterval([]float64{1.25, 1, 0.8, 1, 0.8, 1.25})
	if math.Abs(center-1) > 1e-9 || low != 0.8 || high != 1.25 {
		t.Errorf("%g (%g to %g)", center, low, high)
	}
	if center, low, high := ratioInterval(make([]float64, MinBlocks)); center != 0 || low != 0 || high != 0 {
		t.Errorf("of nothing but zeros: %g (%g to %g)", center, low, high)
	}
}

// The interval contains the true ratio at the rate of Confidence, even with sporadic load on either
// side.
func TestRatioIntervalHoldsWhatIsTrue(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	cost := func() float64 {
		c := 1 + 0.06*random.NormFloat64()
		if random.IntN(20) == 0 {
			c += random.ExpFloat64()
		}
		return c
	}
	const runs, effect = 4000, 1.2
	held := 0
	for range runs {
		ratios := make([]float64, DefaultBlocks)
		for i := range ratios {
			ratios[i] = effect * cost() / cost()
		}
		if _, low, high := ratioInterval(ratios); low <= effect && effect <= high {
			held++
		}
	}
	if part := float64(held) / runs; part < Confidence-0.01 {
		t.Errorf("%.3f of the intervals hold the true ratio", part)
	}
}
