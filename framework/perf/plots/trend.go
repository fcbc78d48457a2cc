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

	"github.com/dra-conformance/dratest/framework/chart"
	"github.com/dra-conformance/dratest/framework/perf"
)

// trend plots a threshold's value over several records, from oldest to newest; empty with fewer than
// two values.
func trend(records []perf.Record, t perf.Threshold) (template.HTML, error) {
	c := chart.Chart{X: chart.Axis{Label: "commit"}, Y: chart.Axis{Label: unitOf(t)}}
	var values []chart.Point
	for _, r := range records {
		f, ok := r.Finding(t)
		if !ok || f.Blocks == 0 {
			continue
		}
		at := float64(len(values))
		values = append(values, chart.At(at, f.Value))
		c.X.Ticks = append(c.X.Ticks, chart.Tick{At: at, Label: Commit(r)})
		c.Line(chart.Interval, chart.At(at, f.Low), chart.At(at, f.High))
	}
	if len(values) < 2 {
		return "", nil
	}
	c.Line(string(perf.Candidate), values...)
	c.Dots(chart.Candidate, values...)
	c.X.Low, c.X.High = -0.3, float64(len(values))-0.7
	limit := t.AtMost + t.AtLeast // one of them is 0
	c.Line(chart.Bound, chart.At(c.X.Low, limit), chart.At(c.X.High, limit))
	return c.Figure(fmt.Sprintf("trend of %s, %s: values with their interval, the dotted line is the bound", perf.NameAt(t.Workload, t.Size), t))
}

// unitOf returns the unit of a threshold's values for an axis; the caption has the rest.
func unitOf(t perf.Threshold) string {
	switch {
	case t.Relative():
		return "ratio"
	case t.Kind == perf.Growth:
		return "exponent"
	default:
		return string(t.Metric)
	}
}

// Commit returns the abbreviated commit of the suite, with "+" for a modified source tree, or the time
// of the record if the commit is unknown.
func Commit(r perf.Record) string {
	const length = 8
	commit := r.Suite.Commit
	if len(commit) > length {
		commit = commit[:length]
	}
	if commit == "" {
		return r.Started.UTC().Format("01-02 15:04")
	}
	if r.Suite.Modified {
		commit += "+"
	}
	return commit
}
