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

package plots

import (
	"fmt"
	"html/template"
	"strconv"

	"github.com/dra-conformance/dratest/framework/chart"
	"github.com/dra-conformance/dratest/framework/perf"
)

// growth plots a workload's metric over its sizes with the fitted lines, on logarithmic axes.
func growth(r perf.Record, w perf.Workload, m perf.Metric) (template.HTML, error) {
	c := chart.Chart{X: chart.Axis{Label: string(w.Grows.In), Logarithmic: true}, Y: chart.Axis{Label: string(m), Logarithmic: true}}
	for _, size := range w.Grows.Sizes {
		c.X.Ticks = append(c.X.Ticks, chart.Tick{At: float64(size), Label: strconv.Itoa(size)})
	}
	caption := fmt.Sprintf("%s of %s over %s", m, w.Name, w.Grows.In)
	for _, side := range []perf.Side{perf.Reference, perf.Candidate} {
		var points []chart.Point
		for _, size := range w.Grows.Sizes {
			for _, value := range r.Values(w.Name, size, side, m) {
				points = append(points, chart.At(float64(size), value))
			}
		}
		if len(points) == 0 {
			return "", nil
		}
		c.Dots(string(side), points...)
		fit, err := r.Growth(w, side, m)
		if err != nil {
			// Too few sizes, or a value of 0 on a logarithmic axis.
			return "", nil //nolint:nilerr // nothing to draw
		}
		smallest, largest := float64(w.Grows.Sizes[0]), float64(w.Grows.Sizes[len(w.Grows.Sizes)-1])
		c.Line(string(side), chart.At(smallest, fit.At(smallest)), chart.At(largest, fit.At(largest)))
		caption += fmt.Sprintf("; %s: exponent %.2f (%.2f to %.2f)", name(r, side), fit.Exponent, fit.Low, fit.High)
	}
	return c.Figure(caption)
}

// name returns a side's name and style for captions.
func name(r perf.Record, side perf.Side) string {
	if side == perf.Reference {
		return fmt.Sprintf("reference %s (hollow, dashed)", r.Reference)
	}
	return fmt.Sprintf("candidate %s (filled, solid)", r.Candidate)
}
