package plots

import (
	"fmt"
	"html/template"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"github.com/dra-conformance/dratest/framework/perf"
)

// trend draws what became of a threshold in several records, from the oldest to the
// newest; empty if it has a value in fewer than two.
func trend(records []perf.Record, t perf.Threshold) (template.HTML, error) {
	var spans vertical
	var names []string
	for _, r := range records {
		if f, ok := r.Finding(t); ok && f.Blocks > 0 {
			spans = append(spans, span{float64(len(spans)), f.Value, f.Low, f.High})
			names = append(names, Commit(r))
		}
	}
	if len(spans) < 2 {
		return "", nil
	}
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = "commit", unitOf(t)
	bars, err := plotter.NewYErrorBars(spans)
	if err != nil {
		return "", fmt.Errorf("draw intervals: %w", err)
	}
	look := looksOf(perf.Candidate)
	dots, err := look.glyphs(points(spans))
	if err != nil {
		return "", err
	}
	line, err := look.line(points(spans))
	if err != nil {
		return "", err
	}
	limit := t.AtMost + t.AtLeast // one of them is 0
	mark, err := bound(plotter.XYs{{X: -0.3, Y: limit}, {X: float64(len(spans)) - 0.7, Y: limit}})
	if err != nil {
		return "", err
	}
	p.Add(bars, line, dots, mark)
	p.NominalX(names...)
	return figure(p, fmt.Sprintf("trend of %s, %s: values with their intervals, the dotted line is the bound", perf.NameAt(t.Workload, t.Size), t))
}

// unitOf is that of a threshold's values, for an axis: the caption says of what they are.
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

// Commit is the beginning of the commit of the suite that made a record, with "+" if its
// source differed, or when it was made where there is none.
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
