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
	"slices"
)

// ratioInterval returns the center of at least MinBlocks non-negative ratios, and its interval at
// Confidence. On a logarithmic scale, the center is the Hodges-Lehmann estimator (median of pairwise
// means) and the interval is the inverted Wilcoxon signed-rank test. Both assume symmetric noise of
// any size: disturbances affect both sides of a block equally. The distribution-free interval of the
// plain median is a quarter wider.
func ratioInterval(ratios []float64) (center, low, high float64) {
	var means []float64
	for i, a := range ratios {
		for _, b := range ratios[i:] {
			means = append(means, math.Sqrt(a*b))
		}
	}
	slices.Sort(means)
	last, out := len(means)-1, ruledOut(len(ratios))-1
	return math.Sqrt(means[last/2] * means[(last+1)/2]), means[out], means[last-out]
}

// ruledOut is the number of rank sums, counted from 0, rejected on either side at Confidence. With n
// values, each of the 2^n sign patterns is equally likely.
func ruledOut(n int) int {
	ways := []float64{1} // by sum
	for rank := 1; rank <= n; rank++ {
		next := make([]float64, len(ways)+rank)
		for sum, w := range ways {
			next[sum] += w
			next[sum+rank] += w
		}
		ways = next
	}
	left := math.Exp2(float64(n)) * (1 - Confidence) / 2
	for sum, w := range ways {
		if left -= w; left < 0 {
			return sum
		}
	}
	return len(ways)
}
