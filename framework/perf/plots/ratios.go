package plots

import (
	"fmt"
	"html/template"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/dra-conformance/dratest/framework/perf"
)

// span is a value with its interval at a place, as plotter's error bars want it.
type span struct {
	place, value, low, high float64
}

type horizontal []span

func (h horizontal) Len() int                { return len(h) }
func (h horizontal) XY(i int) (x, y float64) { return h[i].value, h[i].place }
func (h horizontal) XError(i int) (low, up float64) {
	return h[i].value - h[i].low, h[i].high - h[i].value
}

type vertical []span

func (v vertical) Len() int                { return len(v) }
func (v vertical) XY(i int) (x, y float64) { return v[i].place, v[i].value }
func (v vertical) YError(i int) (low, up float64) {
	return v[i].value - v[i].low, v[i].high - v[i].value
}

// findings draws the value and the interval of each threshold of a kind, and where its
// bound is; empty if there is none.
func findings(r perf.Record, relative bool, title string) (template.HTML, error) {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = title, "threshold"
	var spans horizontal
	var names []string
	for i, f := range r.Findings {
		if f.Blocks == 0 || f.Kind == perf.Absolute || f.Relative() != relative {
			continue
		}
		at := float64(len(spans))
		spans = append(spans, span{at, f.Value, f.Low, f.High})
		names = append(names, strconv.Itoa(i+1))
		limit := f.AtMost + f.AtLeast // one of them is 0
		mark, err := bound(plotter.XYs{{X: limit, Y: at - 0.4}, {X: limit, Y: at + 0.4}})
		if err != nil {
			return "", err
		}
		mark.Width = vg.Points(2)
		p.Add(mark)
	}
	if len(spans) == 0 {
		return "", nil
	}
	bars, err := plotter.NewXErrorBars(spans)
	if err != nil {
		return "", fmt.Errorf("draw intervals: %w", err)
	}
	dots, err := looksOf(perf.Candidate).glyphs(points(spans))
	if err != nil {
		return "", err
	}
	p.Add(bars, dots)
	p.NominalY(names...)
	p.Y.Min, p.Y.Max = -0.6, float64(len(spans))-0.4
	return figure(p, title+" of thresholds, numbered as in the table: the dot is the value, the bar its interval, the dotted line the bound")
}

func points(xy plotter.XYer) plotter.XYs {
	var out plotter.XYs
	for i := range xy.Len() {
		x, y := xy.XY(i)
		out = append(out, plotter.XY{X: x, Y: y})
	}
	return out
}
