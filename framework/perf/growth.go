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
	"errors"
	"fmt"
	"math"

	"github.com/aclements/go-moremath/stats"
)

// minSizes is the minimum number of sizes for a fit: any two points are on a line.
const minSizes = 3

// Power is the power law Factor × size^Exponent, with the exponent's interval at Confidence.
type Power struct {
	Factor, Exponent, Low, High float64
}

// At returns the value at a size.
func (p Power) At(size float64) float64 { return p.Factor * math.Pow(size, p.Exponent) }

// Growth fits the growth of a workload's metric over its sizes on one side. Too few sizes and values
// not above 0 are errors.
func (r Record) Growth(w Workload, side Side, m Metric) (Power, error) {
	var points []point
	for _, size := range w.sizes() {
		for _, value := range r.Values(w.Name, size, side, m) {
			points = append(points, point{float64(size), value})
		}
	}
	return fitPower(points)
}

// fitPower fits a line to the logarithms by least squares. The interval assumes independent,
// identically distributed residuals, so a curve widens it.
func fitPower(points []point) (Power, error) {
	var xs, ys []float64
	sizes := map[float64]bool{}
	for _, p := range points {
		if p.Size <= 0 || p.Value <= 0 {
			return Power{}, fmt.Errorf("%g at size %g has no logarithm: no exponent can be fitted", p.Value, p.Size)
		}
		sizes[p.Size] = true
		xs, ys = append(xs, math.Log(p.Size)), append(ys, math.Log(p.Value))
	}
	if len(sizes) < minSizes || len(xs) <= minSizes {
		return Power{}, fmt.Errorf("%d values of %d sizes are too few: %d sizes are needed, and one more value", len(xs), len(sizes), minSizes)
	}
	var residuals, spread, slope float64
	meanX, meanY := stats.Mean(xs), stats.Mean(ys)
	for i, x := range xs {
		spread += (x - meanX) * (x - meanX)
		slope += (x - meanX) * (ys[i] - meanY)
	}
	slope /= spread
	intercept := meanY - slope*meanX
	for i, x := range xs {
		off := ys[i] - intercept - slope*x
		residuals += off * off
	}
	free := float64(len(xs) - 2)
	t := stats.InvCDF(stats.TDist{V: free})((1 + Confidence) / 2)
	e := t * math.Sqrt(residuals/free/spread)
	if math.IsNaN(e) {
		return Power{}, errors.New("the values have no interval")
	}
	return Power{Factor: math.Exp(intercept), Exponent: slope, Low: slope - e, High: slope + e}, nil
}
