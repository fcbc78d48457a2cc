package plots

import (
	"fmt"
	"html/template"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"github.com/dra-conformance/dratest/framework/perf"
)

// growth draws a metric of a workload over its sizes, on logarithmic axes, with the lines
// that were fitted to it.
func growth(r perf.Record, w perf.Workload, m perf.Metric) (template.HTML, error) {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = string(w.Grows.In), string(m)
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	var sizes plot.ConstantTicks
	for _, size := range w.Grows.Sizes {
		sizes = append(sizes, plot.Tick{Value: float64(size), Label: strconv.Itoa(size)})
	}
	p.X.Tick.Marker, p.Y.Tick.Marker = sizes, plot.TickerFunc(ticks)
	caption := fmt.Sprintf("%s of %s over %s", m, w.Name, w.Grows.In)
	for _, side := range []perf.Side{perf.Reference, perf.Candidate} {
		var points plotter.XYs
		for _, size := range w.Grows.Sizes {
			for _, value := range r.Values(w.Name, size, side, m) {
				points = append(points, plotter.XY{X: float64(size), Y: value})
			}
		}
		if len(points) == 0 {
			return "", nil
		}
		scatter, err := looksOf(side).glyphs(points)
		if err != nil {
			return "", err
		}
		p.Add(scatter)
		fit, err := r.Growth(w, side, m)
		if err != nil {
			// Too few sizes for a line, or a value of 0, which a logarithmic axis does not have.
			return "", nil //nolint:nilerr // there is nothing to draw
		}
		smallest, largest := float64(w.Grows.Sizes[0]), float64(w.Grows.Sizes[len(w.Grows.Sizes)-1])
		line, err := looksOf(side).line(plotter.XYs{{X: smallest, Y: fit.At(smallest)}, {X: largest, Y: fit.At(largest)}})
		if err != nil {
			return "", err
		}
		p.Add(line)
		caption += fmt.Sprintf("; %s: exponent %.2f (%.2f to %.2f)", name(r, side), fit.Exponent, fit.Low, fit.High)
	}
	return figure(p, caption)
}
