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

package perf

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
)

// Print prints measurements and findings for people. The last line is machine-readable.
func (r Record) Print(out io.Writer) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(out, "\nKubernetes %s, %d processors; reference: %s; candidate: %s\n", r.Kubernetes, r.Processors, r.Reference, r.Candidate)
	fmt.Fprintln(w, "workload\tmetric\treference\tcandidate\tratio")
	for _, workload := range r.Workloads {
		for _, size := range workload.sizes() {
			r.printMetrics(w, workload.Name, size)
			if workload.Scenario != "" {
				continue
			}
			fmt.Fprintf(w, "%s\tneeded writes/pod\t%.4g\t%.4g\t\n", NameAt(workload.Name, size), workload.neededWrites(), workload.neededWrites())
			r.printParts(w, workload.Name, size, "", func(round Round) map[string]float64 { return round.Writes })
			r.printParts(w, workload.Name, size, "plugin-sec/attempt ", func(round Round) map[string]float64 { return round.Plugin })
		}
	}
	_ = w.Flush()
	r.printGrowth(out)
	counts := map[Judgement]int{}
	fmt.Fprintf(w, "\nthreshold\tjudgement\tvalue\t%.0f%% interval\tsees a change of\n", 100*Confidence)
	for _, f := range r.Findings {
		counts[f.Judgement]++
		fmt.Fprintf(w, "%s: %s\t%s\t%s\n", NameAt(f.Workload, f.Size), f.Threshold, f.Judgement, f.interval())
	}
	_ = w.Flush()
	for _, f := range r.Findings {
		if f.Why != "" {
			fmt.Fprintf(out, "cannot tell %s, %s: %s\n", NameAt(f.Workload, f.Size), f.Threshold, f.Why)
		}
	}
	fmt.Fprintf(out, "\nperf: met=%d missed=%d cannot-tell=%d\n", counts[Met], counts[Missed], counts[Inconclusive])
}

// printMetrics prints the medians of a workload at a size.
func (r Record) printMetrics(w io.Writer, workload string, size int) {
	for _, m := range Metrics() {
		if len(r.Values(workload, size, Reference, m)) == 0 && len(r.Values(workload, size, Candidate, m)) == 0 {
			continue // metrics vary by workload
		}
		reference, candidate := r.Median(workload, size, Reference, m), r.Median(workload, size, Candidate, m)
		ratio := "-"
		if reference != 0 && m != Others {
			ratio = fmt.Sprintf("%.2f", candidate/reference)
		}
		fmt.Fprintf(w, "%s\t%s\t%.4g\t%.4g\t%s\n", NameAt(workload, size), m, reference, candidate, ratio)
	}
}

// printGrowth prints the growth exponents of metrics over the sizes of workloads.
func (r Record) printGrowth(out io.Writer) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	head := fmt.Sprintf("\nworkload\tgrows in\texponent of\treference\t%.0f%% interval\tcandidate\t%.0f%% interval\n", 100*Confidence, 100*Confidence)
	for _, workload := range r.Workloads {
		if workload.Grows == nil {
			continue
		}
		for _, m := range Metrics() {
			line := ""
			for _, side := range []Side{Reference, Candidate} {
				if p, err := r.Growth(workload, side, m); err == nil {
					line += fmt.Sprintf("\t%.2f\t%.2f to %.2f", p.Exponent, p.Low, p.High)
				} else {
					line += "\t-\t-"
				}
			}
			if line != "\t-\t-\t-\t-" {
				fmt.Fprintf(w, "%s%s\t%s\t%s%s\n", head, workload.Name, workload.Grows.In, m, line)
				head = ""
			}
		}
	}
	_ = w.Flush()
}

// printParts prints the mean parts of a metric of a workload at a size.
func (r Record) printParts(w io.Writer, workload string, size int, of string, parts func(Round) map[string]float64) {
	means, rounds := map[string]map[Side]float64{}, map[Side]float64{}
	for _, round := range r.Rounds {
		if round.Workload != workload || round.Size != size {
			continue
		}
		rounds[round.Side]++
		for what, n := range parts(round) {
			if means[what] == nil {
				means[what] = map[Side]float64{}
			}
			means[what][round.Side] += n
		}
	}
	for _, what := range slices.Sorted(maps.Keys(means)) {
		fmt.Fprintf(w, "%s\t%s%s\t%.3g\t%.3g\t\n", NameAt(workload, size), of, what, means[what][Reference]/rounds[Reference], means[what][Candidate]/rounds[Candidate])
	}
}

// interval formats the value, its interval, and the minimum detectable change: relative to the value,
// absolute for an exponent.
func (f Finding) interval() string {
	if f.Blocks == 0 {
		return "-\t-\t-"
	}
	if f.Kind == Limit {
		return fmt.Sprintf("%.4g\t%.4g to %.4g (all of %d)\t-", f.Value, f.Low, f.High, f.Blocks)
	}
	change := max(f.High-f.Value, f.Value-f.Low)
	sees := fmt.Sprintf("%.1f %%", 100*change/f.Value)
	if f.Kind == Growth {
		sees = fmt.Sprintf("%.2f", change)
	}
	return fmt.Sprintf("%.4g\t%.4g to %.4g (%d blocks)\t%s", f.Value, f.Low, f.High, f.Blocks, sees)
}

// Values returns a metric's values in the rounds of a workload at a size on one side, skipping rounds
// without the metric.
func (r Record) Values(workload string, size int, side Side, m Metric) []float64 {
	var values []float64
	for _, round := range r.Rounds {
		if value, ok := round.Values[m]; ok && round.Workload == workload && round.Size == size && round.Side == side {
			values = append(values, value)
		}
	}
	return values
}

// Median returns the median of Values; 0 without values.
func (r Record) Median(workload string, size int, side Side, m Metric) float64 {
	return spec.Quantile(r.Values(workload, size, side, m), 0.5)
}

// Err returns the reason for a verdict other than Passed, or nil.
func (r Record) Err() error {
	var missed []string
	for _, f := range r.Findings {
		if f.Judgement == Missed {
			missed = append(missed, fmt.Sprintf("%s: %s, it is %.3f (%.3f to %.3f)", NameAt(f.Workload, f.Size), f.Threshold, f.Value, f.Low, f.High))
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

// PrintHistory prints each threshold's results over the records, sorted from oldest to newest. commit
// names a record.
func PrintHistory(out io.Writer, records []Record, commit func(Record) string) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "threshold\tcommit\ttime\tvalue\t%.0f%% interval\tjudgement\n", 100*Confidence)
	for _, t := range Judged(records) {
		for _, r := range records {
			f, ok := r.Finding(t)
			if !ok {
				continue
			}
			value := "-\t-"
			if f.Blocks > 0 {
				value = fmt.Sprintf("%.4g\t%.4g to %.4g", f.Value, f.Low, f.High)
			}
			fmt.Fprintf(w, "%s: %s\t%s\t%s\t%s\t%s\n", NameAt(f.Workload, f.Size), f.Threshold, commit(r), r.Started.UTC().Format("2006-01-02 15:04"), value, f.Judgement)
		}
	}
	_ = w.Flush()
}

// Judged returns all thresholds judged in these records, sorted from oldest to newest, each as in its
// newest record: partial runs often follow a full run.
func Judged(records []Record) []Threshold {
	var all []Threshold
	for _, r := range slices.Backward(records) {
		for _, f := range r.Findings {
			if !slices.ContainsFunc(all, f.bounds) {
				all = append(all, f.Threshold)
			}
		}
	}
	return all
}

// Finding returns the record's finding for a threshold, whatever its bound.
func (r Record) Finding(t Threshold) (Finding, bool) {
	for _, f := range r.Findings {
		if f.bounds(t) {
			return f, true
		}
	}
	return Finding{}, false
}
