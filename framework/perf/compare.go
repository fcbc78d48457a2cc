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
	"math/big"
	"text/tabwriter"

	"golang.org/x/perf/benchmath"
)

const (
	// alpha is the probability of a false positive in a comparison of two identical records.
	alpha = 0.05
	// minChange is the smallest relevant change, relative to the old value. Smaller differences between
	// identical runs are common, and can be systematic for a whole run.
	minChange = 0.05
)

// Direction is the direction of a change between two records.
type Direction string

// The directions.
const (
	Better Direction = "better"
	Worse  Direction = "worse"
	Same   Direction = "same"
)

// Change is the change of a threshold's value between two records, by medians.
type Change struct {
	Threshold
	Old       float64   `json:"old"`
	New       float64   `json:"new"`
	Direction Direction `json:"direction"`
	// P is the probability of such a difference between identical records, by a Mann-Whitney U test.
	P float64 `json:"p"`
	// OldBlocks and NewBlocks are the numbers of values of each record.
	OldBlocks int `json:"oldBlocks"`
	NewBlocks int `json:"newBlocks"`
}

// Comparison is the result of comparing two records.
type Comparison struct {
	Changes []Change `json:"changes"`
	// Differences are differing conditions, such as "kubernetes: v1.36.4, v1.37.1".
	Differences []string `json:"differences"`
	// Left are the thresholds not compared, with the reason.
	Left []string `json:"left"`
}

// Compare compares the values of the new record's thresholds, except Growth, with those of the old
// record. Ratios are comparable across machines, absolute values are not.
func Compare(old, fresh Record) Comparison {
	c := Comparison{Differences: differences(old, fresh)}
	type pair struct {
		threshold  Threshold
		old, fresh []float64
	}
	var pairs []pair
	for _, f := range fresh.Findings {
		name := NameAt(f.Workload, f.Size) + ": " + f.String()
		before, noisyBefore := f.points(old.Rounds)
		after, noisyAfter := f.points(fresh.Rounds)
		switch {
		case f.Kind == Growth:
			c.Left = append(c.Left, name+": exponents are compared by eye, each has its interval")
		case f.Kind == Limit:
			c.Left = append(c.Left, name+": a limit holds or not")
		case f.Kind == Absolute && old.Processors != fresh.Processors:
			c.Left = append(c.Left, name+": values of different machines cannot be compared")
		case len(before) < MinBlocks || len(after) < MinBlocks:
			c.Left = append(c.Left, fmt.Sprintf("%s: %d and %d blocks are too few, %d are needed (%d were left out because others kept the machine busy)", name, len(before), len(after), MinBlocks, noisyBefore+noisyAfter))
		default:
			pairs = append(pairs, pair{threshold: f.Threshold, old: values(before), fresh: values(after)})
		}
	}
	// Bonferroni correction: many comparisons must not increase the rate of false positives.
	limits := benchmath.Thresholds{CompareAlpha: alpha / float64(len(pairs))}
	for _, p := range pairs {
		if least := leastP(len(p.old), len(p.fresh)); least >= limits.CompareAlpha {
			c.Left = append(c.Left, fmt.Sprintf("%s: %s: with %d and %d blocks no difference is beyond chance among %d comparisons (p is at least %.2g): take more --blocks",
				NameAt(p.threshold.Workload, p.threshold.Size), p.threshold, len(p.old), len(p.fresh), len(pairs), least))
			continue
		}
		a, b := benchmath.NewSample(p.old, &limits), benchmath.NewSample(p.fresh, &limits)
		test := benchmath.AssumeNothing.Compare(a, b)
		c.Changes = append(c.Changes, p.threshold.change(
			benchmath.AssumeNothing.Summary(a, Confidence).Center, benchmath.AssumeNothing.Summary(b, Confidence).Center, test))
	}
	return c
}

// leastP is the smallest p of a two-sided Mann-Whitney U test with samples of these sizes: one of all
// partitions, on either side.
func leastP(n, m int) float64 {
	ways, _ := new(big.Int).Binomial(int64(n+m), int64(n)).Float64()
	return 2 / ways
}

// change classifies the change of a threshold's value.
func (t Threshold) change(old, fresh float64, test benchmath.Comparison) Change {
	c := Change{Threshold: t, Old: old, New: fresh, Direction: Same, P: test.P, OldBlocks: test.N1, NewBlocks: test.N2}
	moved := (fresh - old) / old
	if t.AtLeast != 0 {
		moved = -moved
	}
	switch {
	case test.P >= test.Alpha:
	case moved > minChange:
		c.Direction = Worse
	case moved < -minChange:
		c.Direction = Better
	}
	return c
}

// differences lists the differing conditions of two records.
func differences(old, fresh Record) []string {
	var out []string
	for _, d := range []struct {
		what     string
		old, new any
	}{
		{"kubernetes", old.Kubernetes, fresh.Kubernetes},
		{"reference", old.Reference, fresh.Reference},
		{"candidate", old.Candidate, fresh.Candidate},
		{"processors", old.Processors, fresh.Processors},
		{"suite", old.Suite, fresh.Suite},
	} {
		if d.old != d.new {
			out = append(out, fmt.Sprintf("%s: %v, %v", d.what, d.old, d.new))
		}
	}
	return out
}

// Print prints a comparison for people. The last line is machine-readable.
func (c Comparison) Print(out io.Writer) {
	for _, d := range c.Differences {
		fmt.Fprintf(out, "differs: %s\n", d)
	}
	for _, l := range c.Left {
		fmt.Fprintf(out, "not compared: %s\n", l)
	}
	counts := map[Direction]int{}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "what\told\tnew\tchange\tp\tdirection")
	for _, one := range c.Changes {
		counts[one.Direction]++
		fmt.Fprintf(w, "%s: %s\t%.4g\t%.4g\t%+.1f %%\t%.3f (%d, %d blocks)\t%s\n",
			NameAt(one.Workload, one.Size), one.Threshold, one.Old, one.New, 100*(one.New-one.Old)/one.Old, one.P, one.OldBlocks, one.NewBlocks, one.Direction)
	}
	_ = w.Flush()
	fmt.Fprintf(out, "\nperf compare: better=%d worse=%d same=%d\n", counts[Better], counts[Worse], counts[Same])
}

// Worse returns the changes for the worse.
func (c Comparison) Worse() []Change {
	var out []Change
	for _, one := range c.Changes {
		if one.Direction == Worse {
			out = append(out, one)
		}
	}
	return out
}
