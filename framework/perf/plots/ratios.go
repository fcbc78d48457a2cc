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
	"html/template"
	"strconv"

	"github.com/dra-conformance/dratest/framework/chart"
	"github.com/dra-conformance/dratest/framework/perf"
)

// findings plots the value, interval and bound of each threshold of a kind; empty without thresholds.
func findings(r perf.Record, relative bool, title string) (template.HTML, error) {
	c := chart.Chart{X: chart.Axis{Label: title}, Y: chart.Axis{Label: "threshold", Low: -0.6}}
	for i, f := range r.Findings {
		if f.Blocks == 0 || f.Kind == perf.Absolute || f.Kind == perf.Limit || f.Relative() != relative {
			continue
		}
		at := float64(len(c.Y.Ticks))
		c.Y.Ticks = append(c.Y.Ticks, chart.Tick{At: at, Label: strconv.Itoa(i + 1)})
		limit := f.AtMost + f.AtLeast // one of them is 0
		c.Line(chart.Bound, chart.At(limit, at-0.4), chart.At(limit, at+0.4))
		c.Line(chart.Interval, chart.At(f.Low, at), chart.At(f.High, at))
		c.Dots(chart.Candidate, chart.At(f.Value, at))
	}
	if c.Empty() {
		return "", nil
	}
	c.Y.High = float64(len(c.Y.Ticks)) - 0.4
	return c.Figure(title + " of thresholds, numbered as in the table: the dot is the value, the bar its interval, the dotted line the bound")
}
