package perf

import (
	"fmt"
	"math"

	"golang.org/x/perf/benchmath"
)

// Side is one of the two stacks that are measured in turns.
type Side string

// The sides.
const (
	Reference Side = "reference"
	Candidate Side = "candidate"
)

// Round is what was measured of one side at a time. The two rounds of a block followed
// each other, so that what slows the machine down for longer is in both.
type Round struct {
	Workload string             `json:"workload"`
	Block    int                `json:"block"`
	Side     Side               `json:"side"`
	Values   map[Metric]float64 `json:"values"`
}

// Judgement is what has become of a threshold.
type Judgement string

// The judgements.
const (
	Met    Judgement = "met"
	Missed Judgement = "missed"
	// CannotTell: the bound is inside of the interval, or there is none.
	CannotTell Judgement = "cannot tell"
)

// Finding is what the rounds say about a threshold.
type Finding struct {
	Threshold
	Judgement Judgement `json:"judgement"`
	// Ratio is the median over the blocks, Low and High its interval at Confidence; they
	// are missing where there are too few blocks for one.
	Ratio float64 `json:"ratio,omitempty"`
	Low   float64 `json:"low,omitempty"`
	High  float64 `json:"high,omitempty"`
	// Blocks are those that the interval is from.
	Blocks int `json:"blocks"`
	// Why is what kept from telling.
	Why string `json:"why,omitempty"`
}

const (
	// Confidence is that of intervals.
	Confidence = 0.95
	// MinBlocks is how many an interval of a median needs at Confidence, whatever the
	// distribution: with n blocks the smallest and the largest ratio miss the median with
	// a chance of 2^(1-n).
	MinBlocks = 6
	// maxOthers is how much of the machine others may take from a round by whose clock is
	// judged.
	maxOthers = 0.1
)

// Judge holds rounds against a threshold.
func Judge(t Threshold, rounds []Round) Finding {
	f := Finding{Threshold: t, Judgement: CannotTell}
	ratios, noisy := ratios(t, rounds)
	f.Blocks = len(ratios)
	if len(ratios) < MinBlocks {
		f.Why = fmt.Sprintf("%d blocks are too few for an interval, %d are needed", len(ratios), MinBlocks)
		if noisy > 0 {
			f.Why = fmt.Sprintf("others took more than %.0f%% of the machine in %d blocks, and %d of the rest are needed: end what else runs here", 100*maxOthers, noisy, MinBlocks)
		}
		return f
	}
	s := benchmath.AssumeNothing.Summary(benchmath.NewSample(ratios, &benchmath.DefaultThresholds), Confidence)
	f.Ratio, f.Low, f.High = s.Center, s.Lo, s.Hi
	inside, outside := f.High <= t.AtMost, f.Low > t.AtMost
	if t.AtLeast != 0 {
		inside, outside = f.Low >= t.AtLeast, f.High < t.AtLeast
	}
	switch {
	case inside:
		f.Judgement = Met
	case outside:
		f.Judgement = Missed
	default:
		f.Why = "the bound is inside of the interval: take more --blocks"
	}
	return f
}

// ratios are those of the blocks that have both rounds; noisy counts the ones that are
// left out because others kept the machine busy.
func ratios(t Threshold, rounds []Round) (out []float64, noisy int) {
	references := map[int]Round{}
	for _, r := range rounds {
		if r.Workload == t.Workload && r.Side == Reference {
			references[r.Block] = r
		}
	}
	for _, r := range rounds {
		reference, ok := references[r.Block]
		if r.Workload != t.Workload || r.Side != Candidate || !ok {
			continue
		}
		if t.Metric.byClock() && max(r.Values[Others], reference.Values[Others]) > maxOthers {
			noisy++
			continue
		}
		if ratio := r.Values[t.Metric] / reference.Values[t.Metric]; !math.IsNaN(ratio) && !math.IsInf(ratio, 0) {
			out = append(out, ratio)
		}
	}
	return out, noisy
}
