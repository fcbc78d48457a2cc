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

package chart

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"

	"github.com/aclements/go-moremath/scale"
)

//go:embed chart.html
var chartText string

//nolint:gochecknoglobals // parsed once
var chartTemplate = template.Must(template.New("chart").Parse(chartText))

// The CSS classes of shapes, styled by Style: two kinds of values, intervals and bounds.
const (
	Reference = "reference"
	Candidate = "candidate"
	Interval  = "interval"
	Bound     = "bound"
)

// Style is the CSS of pages with charts.
//
//go:embed style.css
var Style template.CSS

// Chart is a figure: axes and shapes.
type Chart struct {
	X, Y   Axis
	shapes []shape
}

// Axis is an axis; its range defaults to that of the points.
type Axis struct {
	Label       string
	Logarithmic bool
	Low, High   float64
	Ticks       []Tick // default: computed from the range
}

// Tick is a labelled position of an axis.
type Tick struct {
	At    float64
	Label string
}

// shape is a line through points, or dots.
type shape struct {
	class  string
	dots   bool
	points []Point
}

// Point is a point of a shape.
type Point struct{ X, Y float64 }

// At returns a point.
func At(x, y float64) Point { return Point{X: x, Y: y} }

// Line adds a line through points.
func (c *Chart) Line(class string, points ...Point) {
	c.shapes = append(c.shapes, shape{class: class, points: points})
}

// Dots adds points.
func (c *Chart) Dots(class string, points ...Point) {
	c.shapes = append(c.shapes, shape{class: class, dots: true, points: points})
}

// Empty reports whether there are no shapes.
func (c *Chart) Empty() bool { return len(c.shapes) == 0 }

// fit computes the range and ticks of an axis.
func (a *Axis) fit(values []float64) {
	if a.Low == a.High {
		a.Low, a.High = math.Inf(1), math.Inf(-1)
		for _, v := range values {
			a.Low, a.High = min(a.Low, v), max(a.High, v)
		}
	}
	if a.Low == a.High { // center a single value
		off := cmp.Or(math.Abs(a.Low)/2, 1)
		a.Low, a.High = a.Low-off, a.High+off
	}
	if a.Ticks == nil {
		for _, at := range a.rounds() {
			a.Ticks = append(a.Ticks, Tick{at, strconv.FormatFloat(at, 'g', 4, 64)})
		}
	}
}

// rounds returns round numbers in the range: powers of ten on a wide logarithmic axis.
func (a *Axis) rounds() []float64 {
	const wide = 20
	options := scale.TickOptions{Max: 7}
	if l, err := scale.NewLog(a.Low, a.High, 10); a.Logarithmic && err == nil && a.High/a.Low > wide {
		major, _ := l.Ticks(options)
		return major
	}
	major, _ := scale.Linear{Min: a.Low, Max: a.High}.Ticks(options)
	return major
}

// part returns the position of a value on the axis, from 0 to 1.
func (a *Axis) part(value float64) float64 {
	if a.Logarithmic {
		return math.Log(value/a.Low) / math.Log(a.High/a.Low)
	}
	return (value - a.Low) / (a.High - a.Low)
}

// mark is a tick, line or dot of a drawing.
type mark struct {
	X, Y                 float64
	Class, Label, Points string
}

// Figure draws the chart with its caption, also the text alternative.
func (c *Chart) Figure(caption string) (template.HTML, error) {
	const width, height, left, right, top, bottom = 530, 340, 70, 20, 12, 46 // the last four are margins
	var xs, ys []float64
	for _, s := range c.shapes {
		for _, p := range s.points {
			xs, ys = append(xs, p.X), append(ys, p.Y)
		}
	}
	c.X.fit(xs)
	c.Y.fit(ys)
	across := func(x float64) float64 { return left + c.X.part(x)*(width-left-right) }
	down := func(y float64) float64 { return height - bottom - c.Y.part(y)*(height-top-bottom) }
	drawing := struct {
		Caption, XLabel, YLabel               string
		Width, Height, Left, Right, Top, Foot int
		XTicks, YTicks, Lines, Dots           []mark
	}{Caption: caption, XLabel: c.X.Label, YLabel: c.Y.Label, Width: width, Height: height, Left: left, Right: width - right, Top: top, Foot: height - bottom}
	for _, t := range c.X.Ticks {
		drawing.XTicks = append(drawing.XTicks, mark{X: across(t.At), Label: t.Label})
	}
	for _, t := range c.Y.Ticks {
		drawing.YTicks = append(drawing.YTicks, mark{Y: down(t.At), Label: t.Label})
	}
	for _, s := range c.shapes {
		var line []string
		for _, p := range s.points {
			x, y := across(p.X), down(p.Y)
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
