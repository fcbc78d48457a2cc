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
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"

	"github.com/aclements/go-moremath/scale"

	"github.com/dra-conformance/dratest/framework/perf"
)

//go:embed chart.html
var chartText string

//nolint:gochecknoglobals // parsed once
var chartTemplate = template.Must(template.New("chart").Parse(chartText))

// The CSS classes of shapes besides the two sides, styled by page.html.
const (
	intervals = "interval"
	bounds    = "bound"
)

// chart is a figure: axes and shapes.
type chart struct {
	x, y   axis
	shapes []shape
}

// axis is an axis; its range defaults to that of the points.
type axis struct {
	label       string
	logarithmic bool
	low, high   float64
	ticks       []tick // default: computed from the range
}

type tick struct {
	at    float64
	label string
}

// shape is a line through points, or dots.
type shape struct {
	class  string
	dots   bool
	points []point
}

type point struct{ x, y float64 }

func (c *chart) line(class string, points ...point) {
	c.shapes = append(c.shapes, shape{class: class, points: points})
}

func (c *chart) dots(side perf.Side, points ...point) {
	c.shapes = append(c.shapes, shape{class: string(side), dots: true, points: points})
}

// fit computes the range and ticks of an axis.
func (a *axis) fit(values []float64) {
	if a.low == a.high {
		a.low, a.high = math.Inf(1), math.Inf(-1)
		for _, v := range values {
			a.low, a.high = min(a.low, v), max(a.high, v)
		}
	}
	if a.low == a.high { // center a single value
		off := cmp.Or(math.Abs(a.low)/2, 1)
		a.low, a.high = a.low-off, a.high+off
	}
	if a.ticks == nil {
		for _, at := range a.rounds() {
			a.ticks = append(a.ticks, tick{at, strconv.FormatFloat(at, 'g', 4, 64)})
		}
	}
}

// rounds returns round numbers in the range: powers of ten on a wide logarithmic axis.
func (a *axis) rounds() []float64 {
	const wide = 20
	options := scale.TickOptions{Max: 7}
	if l, err := scale.NewLog(a.low, a.high, 10); a.logarithmic && err == nil && a.high/a.low > wide {
		major, _ := l.Ticks(options)
		return major
	}
	major, _ := scale.Linear{Min: a.low, Max: a.high}.Ticks(options)
	return major
}

// part returns the position of a value on the axis, from 0 to 1.
func (a *axis) part(value float64) float64 {
	if a.logarithmic {
		return math.Log(value/a.low) / math.Log(a.high/a.low)
	}
	return (value - a.low) / (a.high - a.low)
}

// mark is a tick, line or dot of a drawing.
type mark struct {
	X, Y                 float64
	Class, Label, Points string
}

// figure draws the chart with its caption, also the text alternative.
func (c *chart) figure(caption string) (template.HTML, error) {
	const width, height, left, right, top, bottom = 530, 340, 70, 20, 12, 46 // the last four are margins
	var xs, ys []float64
	for _, s := range c.shapes {
		for _, p := range s.points {
			xs, ys = append(xs, p.x), append(ys, p.y)
		}
	}
	c.x.fit(xs)
	c.y.fit(ys)
	across := func(x float64) float64 { return left + c.x.part(x)*(width-left-right) }
	down := func(y float64) float64 { return height - bottom - c.y.part(y)*(height-top-bottom) }
	drawing := struct {
		Caption, XLabel, YLabel               string
		Width, Height, Left, Right, Top, Foot int
		XTicks, YTicks, Lines, Dots           []mark
	}{Caption: caption, XLabel: c.x.label, YLabel: c.y.label, Width: width, Height: height, Left: left, Right: width - right, Top: top, Foot: height - bottom}
	for _, t := range c.x.ticks {
		drawing.XTicks = append(drawing.XTicks, mark{X: across(t.at), Label: t.label})
	}
	for _, t := range c.y.ticks {
		drawing.YTicks = append(drawing.YTicks, mark{Y: down(t.at), Label: t.label})
	}
	for _, s := range c.shapes {
		var line []string
		for _, p := range s.points {
			x, y := across(p.x), down(p.y)
			line = append(line, fmt.Sprintf("%.1f,%.1f", x, y))
			if s.dots {
				drawing.Dots = append(drawing.Dots, mark{Class: s.class, X: x, Y: y})
			}
		}
		if !s.dots {
			drawing.Lines = append(drawing.Lines, mark{Class: s.class, Points: strings.Join(line, " ")})
		}
	}
	var out strings.Builder
	if err := chartTemplate.Execute(&out, drawing); err != nil {
		return "", fmt.Errorf("draw %s: %w", caption, err)
	}
	return template.HTML(out.String()), nil //nolint:gosec // escaped by the template
}

// name returns a side's name and style for captions.
func name(r perf.Record, side perf.Side) string {
	if side == perf.Reference {
		return fmt.Sprintf("reference %s (hollow, dashed)", r.Reference)
	}
	return fmt.Sprintf("candidate %s (filled, solid)", r.Candidate)
}
