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

// ratioInterval is the centre of ratios and its interval at Confidence, of MinBlocks ratios at
// least, none of which is negative. On a scale of logarithms the centre is the median of the
// means of any two (Hodges and Lehmann), and in the interval is what Wilcoxon's signed ranks do
// not rule out. Both take it that what disturbs a block makes a ratio as likely greater as smaller,
// which is so as both of its sides are disturbed alike, and nothing of how much. The interval of
// the plain median, which takes nothing for granted, is a quarter wider.
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

// ruledOut is how many sums of ranks, from none on, are together too unlikely at Confidence on
// either side: with n values each of the 2^n ways in which they may be above or below what
// they are about is as likely.
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
