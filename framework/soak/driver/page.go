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

package driver

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"time"

	"github.com/dra-conformance/dratest/framework/chart"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
)

//go:embed page.html
var pageText string

// Report is the content of a page.
type Report struct {
	Results

	Verdict    schema.Verdict
	Kubernetes string
	Started    time.Time
	Seconds    float64
	Pods       int
	Seed       int64
	// Kills has a line per fault, Violations, Warnings and Problems one each.
	Kills, Violations, Warnings, Problems []string
}

// plot is a figure with its heading.
type plot struct {
	Heading string
	Figure  template.HTML
}

// Page writes a self-contained page with plots.
func Page(out io.Writer, r Report) error {
	plots, err := r.plots()
	if err != nil {
		return err
	}
	t, err := template.New("page").Funcs(template.FuncMap{
		"style": func() template.CSS { return chart.Style }, "amount": schema.Amount, "limit": limitOf,
		"length": func(seconds float64) string {
			return time.Duration(seconds * float64(time.Second)).Round(time.Second).String()
		},
	}).Parse(pageText)
	if err == nil {
		err = t.Execute(out, struct {
			Report

			Plots []plot
		}{r, plots})
	}
	if err != nil {
		return fmt.Errorf("write the page of a soak: %w", err)
	}
	return nil
}

// plots draws latencies and the resource use of processes over time.
func (r Results) plots() (all []plot, err error) {
	add := func(heading string, figure template.HTML, failed error) {
		if err = failed; figure != "" && failed == nil {
			all = append(all, plot{heading, figure})
		}
	}
	for _, of := range []struct {
		heading, p50, p99 string
		part              func(Window) Latency
	}{
		{"Prepare", spec.PrepareP50, spec.PrepareP99, func(w Window) Latency { return w.Prepare }},
		{"Unprepare", spec.UnprepareP50, spec.UnprepareP99, func(w Window) Latency { return w.Unprepare }},
		{"Pod start with a claim", podStartP50, podStartP99, func(w Window) Latency { return w.PodStart }},
	} {
		figure, failed := r.latency(of.heading, of.p50, of.p99, of.part)
		if add(of.heading, figure, failed); err != nil {
			return nil, err
		}
	}
	for _, of := range []struct {
		heading, name, unit string
		value               func(Sample) float64
	}{
		{"Memory", spec.DriverMemory, "resident memory in MiB", func(s Sample) float64 { return float64(s.Memory) / (1 << 20) }},
		{"Open files", spec.DriverFiles, "open files", func(s Sample) float64 { return float64(s.FileDescriptors) }},
	} {
		figure, failed := r.use(of.heading, of.name, of.unit, of.value)
		if add(of.heading, figure, failed); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// latency plots a latency over time.
func (r Results) latency(heading, p50, p99 string, part func(Window) Latency) (template.HTML, error) {
	var medians, slowest []chart.Point
	for _, w := range r.Windows {
		if l := part(w); l.Count > 0 {
			medians = append(medians, chart.At(w.Seconds/60, l.P50))
			slowest = append(slowest, chart.At(w.Seconds/60, l.P99))
		}
	}
	if len(medians) == 0 {
		return "", nil
	}
	c := chart.Chart{X: chart.Axis{Label: "minutes"}, Y: chart.Axis{Label: "seconds"}}
	c.Line(chart.Candidate, medians...)
	c.Dots(chart.Candidate, medians...)
	c.Line(chart.Reference, slowest...)
	c.Dots(chart.Reference, slowest...)
	caption := heading + ": median (filled, solid) and 99th percentile (hollow, dashed) over time"
	limits := r.limits(&c, 1, slowest, p50, p99)
	r.faults(&c, slices.Concat(medians, slowest))
	return c.Figure(caption + limits + r.faultCaption())
}

// use plots the resource use of each process, alternately solid and dashed by node.
func (r Results) use(heading, name, unit string, value func(Sample) float64) (template.HTML, error) {
	c := chart.Chart{X: chart.Axis{Label: "minutes"}, Y: chart.Axis{Label: unit}}
	lives := map[string]map[int][]chart.Point{}
	var all []chart.Point
	for _, s := range r.Samples {
		if lives[s.Node] == nil {
			lives[s.Node] = map[int][]chart.Point{}
		}
		p := chart.At(s.Seconds/60, value(s))
		lives[s.Node][s.Process] = append(lives[s.Node][s.Process], p)
		all = append(all, p)
	}
	if len(all) == 0 {
		return "", nil
	}
	for i, node := range r.Nodes {
		for _, life := range lives[node] {
			class := []string{chart.Candidate, chart.Reference}[i%2]
			c.Line(class, life...)
			if len(life) == 1 {
				c.Dots(class, life...)
			}
		}
	}
	scale := 1.0
	if name == spec.DriverMemory {
		scale = 1 << 20
	}
	limits := r.limits(&c, scale, all, name)
	r.faults(&c, all)
	return c.Figure(heading + " of the driver's processes, nodes alternately solid and dashed; a gap is another process" + limits + r.faultCaption())
}

// limits draws the declared limits that are near enough to the values, and describes all.
func (r Results) limits(c *chart.Chart, scale float64, values []chart.Point, names ...string) (caption string) {
	top := 0.0
	for _, p := range values {
		top = max(top, p.Y)
	}
	for _, cost := range r.Costs {
		if cost.Limit == nil || !slices.Contains(names, cost.Name) {
			continue
		}
		caption += fmt.Sprintf("; %s: declared at most %s", cost.Name, schema.Amount(*cost.Limit, cost.Unit))
		if limit := *cost.Limit / scale; limit <= 2*top {
			c.Line(chart.Bound, chart.At(values[0].X, limit), chart.At(values[len(values)-1].X, limit))
			caption += " (dotted)"
		}
	}
	return caption
}

// faults draws a vertical line for each kill.
func (r Results) faults(c *chart.Chart, values []chart.Point) {
	low, high := values[0].Y, values[0].Y
	for _, p := range values {
		low, high = min(low, p.Y), max(high, p.Y)
	}
	for _, m := range r.Faults {
		c.Line(chart.Interval, chart.At(m.Seconds/60, low), chart.At(m.Seconds/60, high))
	}
}

func (r Results) faultCaption() string {
	if len(r.Faults) == 0 {
		return ""
	}
	return "; vertical lines are kills"
}
