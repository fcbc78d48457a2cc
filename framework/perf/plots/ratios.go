package plots

import (
	"html/template"
	"strconv"

	"github.com/dra-conformance/dratest/framework/perf"
)

// findings draws the value and the interval of each threshold of a kind, and where its
// bound is; empty if there is none.
func findings(r perf.Record, relative bool, title string) (template.HTML, error) {
	c := chart{x: axis{label: title}, y: axis{label: "threshold", low: -0.6}}
	for i, f := range r.Findings {
		if f.Blocks == 0 || f.Kind == perf.Absolute || f.Relative() != relative {
			continue
		}
		at := float64(len(c.y.ticks))
		c.y.ticks = append(c.y.ticks, tick{at, strconv.Itoa(i + 1)})
		limit := f.AtMost + f.AtLeast // one of them is 0
		c.line(bounds, point{limit, at - 0.4}, point{limit, at + 0.4})
		c.line(intervals, point{f.Low, at}, point{f.High, at})
		c.dots(perf.Candidate, point{f.Value, at})
	}
	if len(c.shapes) == 0 {
		return "", nil
	}
	c.y.high = float64(len(c.y.ticks)) - 0.4
	return c.figure(title + " of thresholds, numbered as in the table: the dot is the value, the bar its interval, the dotted line the bound")
}
