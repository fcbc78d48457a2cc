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
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// grown returns rounds of a candidate with noisy growth of CPU time by an exponent.
func grown(exponent, noise float64) []Round {
	random := rand.New(rand.NewPCG(1, 2))
	var all []Round
	for _, size := range []int{100, 500, 1000, 5000} {
		for block := range 6 {
			value := 0.002 * math.Pow(float64(size), exponent) * (1 + noise*random.NormFloat64())
			all = append(all, Round{Workload: "w", Size: size, Block: block, Side: Candidate, Values: map[Metric]float64{SchedulerCPU: value}})
		}
	}
	return all
}

func TestGrowth(t *testing.T) {
	threshold := Threshold{Workload: "w", Kind: Growth, Metric: SchedulerCPU, AtMost: 0.3}
	for name, test := range map[string]struct {
		rounds []Round
		want   Judgement
		value  float64
	}{
		"flat":               {grown(0, 0.05), Met, 0},
		"as the square root": {grown(0.5, 0.05), Missed, 0.5},
		"on the bound":       {grown(0.3, 0.2), Inconclusive, 0.3},
		"one size":           {grown(0, 0.05)[:6], Inconclusive, 0},
	} {
		got := Judge(threshold, test.rounds)
		if got.Judgement != test.want || math.Abs(got.Value-test.value) > 0.05 {
			t.Errorf("%s: %s, exponent %g [%g %g], %q; want %s, %g", name, got.Judgement, got.Value, got.Low, got.High, got.Why, test.want, test.value)
		}
	}
}

// The exponent's interval contains the true exponent in about 19 of 20 runs.
func TestIntervalOfExponent(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	hits := 0
	for range 1000 {
		var points []point
		for _, size := range []float64{100, 500, 1000, 5000} {
			for range 5 {
				points = append(points, point{size, math.Pow(size, 0.2) * math.Exp(0.1*random.NormFloat64())})
			}
		}
		fit, err := fitPower(points)
		if err != nil {
			t.Fatal(err)
		}
		if fit.Low <= 0.2 && 0.2 <= fit.High {
			hits++
		}
	}
	if hits < 930 || hits > 970 {
		t.Errorf("the interval has the exponent %d times of 1000, want about 950", hits)
	}
}

func TestRatioOfTwoWorkloads(t *testing.T) {
	var all []Round
	for block := range MinBlocks {
		for workload, value := range map[string]float64{"with": 3, "without": 2} {
			for _, side := range []Side{Reference, Candidate} {
				all = append(all, Round{Workload: workload, Size: 10, Block: block, Side: side, Values: map[Metric]float64{SchedulerCPU: value}})
			}
		}
	}
	if got := Judge(Threshold{Workload: "with", Size: 10, Versus: "without", Metric: SchedulerCPU, AtMost: 1.25}, all); got.Value != 1.5 || got.Judgement != Missed {
		t.Errorf("%s, %g; want missed, 1.5", got.Judgement, got.Value)
	}
	if got := Judge(Threshold{Workload: "with", Size: 10, Kind: Absolute, Metric: SchedulerCPU, AtMost: 3}, all); got.Value != 3 || got.Judgement != Met {
		t.Errorf("%s, %g; want met, 3", got.Judgement, got.Value)
	}
}

func TestExponentsArePrinted(t *testing.T) {
	r := Record{Workloads: []Workload{{Name: "w", Grows: &Growing{In: Nodes, Sizes: []int{100, 500, 1000, 5000}}}, {Name: "flat"}}, Rounds: grown(0.5, 0)}
	var out strings.Builder
	r.printGrowth(&out)
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if got, want := strings.Fields(lines[len(lines)-1]), "w nodes scheduler-cpu-sec/pod - - 0.50 0.50 to 0.50"; len(lines) != 2 || strings.Join(got, " ") != want {
		t.Errorf("got\n%s\nwant a head and %s", out.String(), want)
	}
}
