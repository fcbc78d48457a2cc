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
	"slices"

	"github.com/dra-conformance/dratest/framework/chart"
	"github.com/dra-conformance/dratest/framework/perf"
)

// latency plots the distribution of a workload's scheduling latencies.
func latency(r perf.Record, w perf.Workload, size int) (template.HTML, error) {
	c := chart.Chart{X: chart.Axis{Label: "seconds from a pod's creation until it is scheduled"}, Y: chart.Axis{Label: "part of all pods", High: 1}}
	caption := "latencies of " + perf.NameAt(w.Name, size)
	for _, side := range []perf.Side{perf.Reference, perf.Candidate} {
		var all []float64
		for _, round := range r.Rounds {
			if round.Workload == w.Name && round.Size == size && round.Side == side {
				all = append(all, round.Latencies...)
			}
		}
		if len(all) == 0 {
			return "", nil
		}
		slices.Sort(all)
		c.Line(string(side), distribution(all)...)
		caption += fmt.Sprintf("; %s: half of %d pods within %.3g s", name(r, side), len(all), all[len(all)/2])
	}
	return c.Figure(caption)
}

// distribution returns the empirical distribution of sorted values, by at most 200 points.
func distribution(sorted []float64) []chart.Point {
	const most = 200
	var out []chart.Point
	step := max(1, len(sorted)/most)
	for i := 0; i < len(sorted); i += step {
		out = append(out, chart.At(sorted[i], float64(i+1)/float64(len(sorted))))
	}
	return append(out, chart.At(sorted[len(sorted)-1], 1))
}
