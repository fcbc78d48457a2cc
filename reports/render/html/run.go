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

package html

import (
	"fmt"
	"slices"
	"time"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
)

// runChart shows the cases and the findings of monitors over the time of a run, in units of its SVG.
type runChart struct {
	Height   int
	Bars     []bar
	Findings []findingView
	// Ends are the times of the chart's left and right end.
	Ends [2]string
}

// The chart's units: its width, and the height of a row of cases.
const (
	chartWidth = 1000
	rowHeight  = 10
)

// bar is a case.
type bar struct {
	X, Y, Width float64
	Class, Text string
}

type findingView struct {
	spec.Finding

	X     float64
	Class string
	At    string
}

// chartOf returns the chart of a monitored run; nil for others.
func chartOf(r schema.Report) *runChart {
	began, ended := span(r.Cases)
	if r.Monitoring == nil || !ended.After(began) {
		return nil
	}
	for _, f := range r.Findings {
		began, ended = earlier(began, f.Time), later(ended, f.Time)
	}
	x := func(at time.Time) float64 {
		return float64(at.Sub(began).Milliseconds()*chartWidth) / float64(ended.Sub(began).Milliseconds())
	}
	c := &runChart{Ends: [2]string{clock(began), clock(ended)}}
	ran := slices.DeleteFunc(slices.Clone(r.Cases), func(c schema.Case) bool { return c.Started.IsZero() })
	slices.SortStableFunc(ran, func(a, b schema.Case) int { return a.Started.Compare(b.Started) })
	var rows []time.Time // when each is free again
	for _, one := range ran {
		row := slices.IndexFunc(rows, func(free time.Time) bool { return !free.After(one.Started) })
		if row < 0 {
			row, rows = len(rows), append(rows, time.Time{})
		}
		rows[row] = end(one)
		c.Bars = append(c.Bars, bar{
			X: rounded(x(one.Started)), Y: float64(row * rowHeight), Width: rounded(max(1, x(end(one))-x(one.Started)-1)), Class: markOf(one).Class,
			Text: fmt.Sprintf("%s, %s, %s", one.ID, clock(one.Started), duration(one.DurationSeconds)),
		})
	}
	c.Height = len(rows) * rowHeight
	for _, f := range r.Findings {
		class := "warning"
		if f.Severity == spec.Violation {
			class = "failed"
		}
		c.Findings = append(c.Findings, findingView{Finding: f, X: rounded(x(f.Time)), Class: class, At: clock(f.Time)})
	}
	return c
}

// span is the time in which cases ran.
func span(cases []schema.Case) (began, ended time.Time) {
	for _, c := range cases {
		if c.Started.IsZero() {
			continue
		}
		if began.IsZero() {
			began = c.Started
		}
		began, ended = earlier(began, c.Started), later(ended, end(c))
	}
	return began, ended
}

func end(c schema.Case) time.Time {
	return c.Started.Add(time.Duration(c.DurationSeconds * float64(time.Second)))
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func clock(at time.Time) string { return at.UTC().Format(time.TimeOnly) }

// rounded has one decimal, to keep the file small.
func rounded(x float64) float64 { return float64(int(x*10+.5)) / 10 }
