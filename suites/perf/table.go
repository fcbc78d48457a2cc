package perf

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/dra-conformance/dratest/reports/schema"
)

// Print prints what was measured and what it came to, for people. The last line is for
// programs.
func (r Record) Print(out io.Writer) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(out, "\nKubernetes %s, %d processors; reference: %s; candidate: %s\n", r.Kubernetes, r.Processors, r.Reference, r.Candidate)
	fmt.Fprintln(w, "workload\tmetric\treference\tcandidate\tratio")
	for _, workload := range r.Workloads {
		for _, m := range Metrics() {
			reference, candidate := r.median(workload.Name, Reference, m), r.median(workload.Name, Candidate, m)
			ratio := "-"
			if reference != 0 && m != Others {
				ratio = fmt.Sprintf("%.2f", candidate/reference)
			}
			fmt.Fprintf(w, "%s\t%s\t%.4g\t%.4g\t%s\n", workload.Name, m, reference, candidate, ratio)
		}
	}
	_ = w.Flush()
	counts := map[Judgement]int{}
	fmt.Fprintf(w, "\nthreshold\tjudgement\tratio\t%.0f%% interval\tsees a change of\n", 100*Confidence)
	for _, f := range r.Findings {
		counts[f.Judgement]++
		fmt.Fprintf(w, "%s: %s\t%s\t%s\n", f.Workload, f.Threshold, f.Judgement, f.interval())
	}
	_ = w.Flush()
	for _, f := range r.Findings {
		if f.Why != "" {
			fmt.Fprintf(out, "cannot tell %s, %s: %s\n", f.Workload, f.Threshold, f.Why)
		}
	}
	fmt.Fprintf(out, "\nperf: met=%d missed=%d cannot-tell=%d\n", counts[Met], counts[Missed], counts[CannotTell])
}

// interval is the ratio, its interval, and by how much a change has to move the ratio
// until the interval leaves where it is now.
func (f Finding) interval() string {
	if f.Blocks < MinBlocks {
		return "-\t-\t-"
	}
	return fmt.Sprintf("%.3f\t%.3f to %.3f (%d blocks)\t%.0f %%", f.Ratio, f.Low, f.High, f.Blocks, 100*max(f.High-f.Ratio, f.Ratio-f.Low)/f.Ratio)
}

// median of a metric over the rounds of a workload on one side.
func (r Record) median(workload string, side Side, m Metric) float64 {
	var values []float64
	for _, round := range r.Rounds {
		if round.Workload == workload && round.Side == side {
			values = append(values, round.Values[m])
		}
	}
	slices.Sort(values)
	return quantile(values, 0.5)
}

// Err says why the verdict is not Passed; nil if it is.
func (r Record) Err() error {
	var missed []string
	for _, f := range r.Findings {
		if f.Judgement == Missed {
			missed = append(missed, fmt.Sprintf("%s: %s, it is %.3f (%.3f to %.3f)", f.Workload, f.Threshold, f.Ratio, f.Low, f.High))
		}
	}
	switch r.Verdict {
	case schema.Passed:
		return nil
	case schema.Failed:
		return fmt.Errorf("thresholds are missed: %v", missed)
	case schema.NothingRan:
		return fmt.Errorf("there are no thresholds for these workloads: nothing was judged")
	default:
		return fmt.Errorf("it cannot be told whether all thresholds are met")
	}
}
