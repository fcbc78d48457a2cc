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
	"math"
	"slices"

	"golang.org/x/perf/benchmath"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Side is one of the two stacks measured alternately.
type Side string

// The sides.
const (
	Reference Side = "reference"
	Candidate Side = "candidate"
)

// Round is one measurement of one side. The two rounds of a block are consecutive, so that lasting
// disturbances affect both.
type Round struct {
	Workload string `json:"workload"`
	// Size is the size of a workload with Grows.
	Size   int                `json:"size,omitempty"`
	Block  int                `json:"block"`
	Side   Side               `json:"side"`
	Values map[Metric]float64 `json:"values"`
	// Writes are the parts of the metric Writes by verb and resource, such as "POST pods/binding".
	Writes map[string]float64 `json:"writes,omitempty"`
	// Plugin is the time of the scheduler's DRA plugin by extension point, in seconds per attempt. The
	// scheduler samples a tenth of the attempts.
	Plugin map[string]float64 `json:"plugin,omitempty"`
	// Latencies are the times from the creation to the scheduling of each pod, in seconds, sorted.
	Latencies []float64 `json:"latencies,omitempty"`
}

// Judgement is the result of a threshold.
type Judgement string

// The judgements.
const (
	Met    Judgement = "met"
	Missed Judgement = "missed"
	// Inconclusive means inconclusive: the bound is inside the interval, or there is no interval.
	Inconclusive Judgement = "cannot tell"
)

// Finding is the result of a threshold for a set of rounds.
type Finding struct {
	Threshold
	Judgement Judgement `json:"judgement"`
	// Value is the bounded value: the center or median over the blocks, or a fitted exponent. Low and High
	// are its interval at Confidence; for Limit, the minimum and maximum. Without Blocks it is unset.
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	// Blocks is the number of values. Too few give no interval.
	Blocks int `json:"blocks"`
	// Why is the reason for Inconclusive.
	Why string `json:"why,omitempty"`
}

const (
	// Confidence is the confidence level of intervals.
	Confidence = 0.95
	// MinBlocks is the minimum for an interval at Confidence: with n blocks, all values are on one side of
	// the median with probability 2^(1-n).
	MinBlocks = 6
	// DefaultBlocks is enough to detect a change of 20 % on a machine with 8 % noise between rounds: the
	// interval is then ±4 %.
	DefaultBlocks = 17
	// maxOthers is the maximum share of the machine used by other processes in a round, for time-based
	// metrics.
	maxOthers = 0.1
)

// Judge judges rounds by a threshold.
func Judge(t Threshold, rounds []Round) Finding {
	f := Finding{Threshold: t, Judgement: Inconclusive}
	points, noisy := t.points(rounds)
	least := MinBlocks
	switch t.Kind {
	case Growth:
		least = minSizes + 1
	case Limit:
		least = 1
	}
	if len(points) < least {
		f.Why = fmt.Sprintf("%d blocks are too few for an interval, %d are needed", len(points), least)
		if noisy > 0 {
			f.Why = fmt.Sprintf("others took more than %.0f%% of the machine in %d blocks, and %d of the rest are needed: end what else runs here", 100*maxOthers, noisy, least)
		}
		return f
	}
	f.Blocks = len(points)
	switch {
	case t.Kind == Growth:
		fit, err := fitPower(points)
		if err != nil {
			f.Why, f.Blocks = err.Error(), 0
			return f
		}
		f.Value, f.Low, f.High = fit.Exponent, fit.Low, fit.High
	case t.Kind == Limit:
		all := values(points)
		f.Value, f.Low, f.High = spec.Quantile(all, 0.5), slices.Min(all), slices.Max(all)
	case t.Relative():
		f.Value, f.Low, f.High = ratioInterval(values(points))
	default:
		s := benchmath.AssumeNothing.Summary(benchmath.NewSample(values(points), &benchmath.DefaultThresholds), Confidence)
		f.Value, f.Low, f.High = s.Center, s.Lo, s.Hi
	}
	f.judge()
	return f
}

// judge compares the interval with the bound.
func (f *Finding) judge() {
	inside, outside := f.High <= f.AtMost, f.Low > f.AtMost
	if f.AtLeast != 0 {
		inside, outside = f.Low >= f.AtLeast, f.High < f.AtLeast
	}
	switch {
	case inside:
		f.Judgement = Met
	case outside || f.Kind == Limit:
		f.Judgement = Missed
	default:
		f.Why = "the bound is inside of the interval: take more --blocks"
	}
}

// point is the value of one block, at a size.
type point struct {
	Size, Value float64
}

func values(points []point) []float64 {
	var out []float64
	for _, p := range points {
		out = append(out, p.Value)
	}
	return out
}

// points returns the bounded value of each block; noisy is the number of blocks dropped because of
// load by other processes.
func (t Threshold) points(rounds []Round) (out []point, noisy int) {
	type block struct{ size, block int }
	divisors := map[block]Round{}
	for _, r := range rounds {
		if t.divides(r) {
			divisors[block{r.Size, r.Block}] = r
		}
	}
	for _, r := range rounds {
		divisor, ok := divisors[block{r.Size, r.Block}]
		if r.Workload != t.Workload || r.Side != Candidate && t.Kind != Limit || t.Kind != Growth && r.Size != t.Size || t.Relative() && !ok {
			continue
		}
		if t.Metric.byClock() && max(r.Values[Others], divisor.Values[Others]) > maxOthers {
			noisy++
			continue
		}
		value, measured := r.Values[t.Metric]
		if !measured {
			continue
		}
		if t.Relative() {
			value /= divisor.Values[t.Metric]
		}
		if !math.IsNaN(value) && !math.IsInf(value, 0) && (value >= 0 || !t.Relative()) {
			out = append(out, point{float64(r.Size), value})
		}
	}
	return out, noisy
}

// Relative reports whether the threshold bounds a ratio, the default kind.
func (t Threshold) Relative() bool { return t.Kind == "" || t.Kind == Ratio }

// divides reports whether a round is the denominator of a ratio.
func (t Threshold) divides(r Round) bool {
	switch {
	case !t.Relative():
		return false
	case t.Versus != "":
		return r.Workload == t.Versus && r.Side == Candidate
	default:
		return r.Workload == t.Workload && r.Side == Reference
	}
}
