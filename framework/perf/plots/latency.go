package plots

import (
	"fmt"
	"html/template"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"github.com/dra-conformance/dratest/framework/perf"
)

// latency draws which part of all pods of a workload was scheduled within a time.
func latency(r perf.Record, w perf.Workload, size int) (template.HTML, error) {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = "seconds from a pod's creation until it is scheduled", "part of all pods"
	p.Y.Min, p.Y.Max = 0, 1
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
		line, err := looksOf(side).line(distribution(all))
		if err != nil {
			return "", err
		}
		p.Add(line)
		caption += fmt.Sprintf("; %s: half of %d pods within %.3g s", name(r, side), len(all), all[len(all)/2])
	}
	return figure(p, caption)
}

// distribution is the empirical distribution of sorted values, by at most 200 points.
func distribution(sorted []float64) plotter.XYs {
	const most = 200
	var out plotter.XYs
	step := max(1, len(sorted)/most)
	for i := 0; i < len(sorted); i += step {
		out = append(out, plotter.XY{X: sorted[i], Y: float64(i+1) / float64(len(sorted))})
	}
	return append(out, plotter.XY{X: sorted[len(sorted)-1], Y: 1})
}
