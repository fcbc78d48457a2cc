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
	"math/rand/v2"
	"strings"
	"testing"
)

// rounds returns a block per ratio of a metric, with a load by other processes.
func rounds(m Metric, others float64, ratios ...float64) []Round {
	var all []Round
	for i, ratio := range ratios {
		values := func(v float64) map[Metric]float64 { return map[Metric]float64{m: v, Others: others} }
		all = append(all, Round{Workload: "w", Block: i, Side: Reference, Values: values(2)}, Round{Workload: "w", Block: i, Side: Candidate, Values: values(2 * ratio)})
	}
	return all
}

func TestJudge(t *testing.T) {
	atMost := Threshold{Workload: "w", Metric: SchedulerCPU, AtMost: 1.1}
	atLeast := Threshold{Workload: "w", Metric: PodsPerSecond, AtLeast: 0.9}
	for name, test := range map[string]struct {
		threshold Threshold
		rounds    []Round
		want      Judgement
		why       string
	}{
		"below":               {atMost, rounds(SchedulerCPU, 0, 1, 1.01, 1.02, 0.99, 1, 1.05), Met, ""},
		"above":               {atMost, rounds(SchedulerCPU, 0, 1.2, 1.21, 1.3, 1.19, 1.2, 1.15), Missed, ""},
		"on both sides":       {atMost, rounds(SchedulerCPU, 0, 1, 1.2, 1, 1.2, 1, 1.2), Inconclusive, "--blocks"},
		"too few":             {atMost, rounds(SchedulerCPU, 0, 1, 1, 1, 1, 1), Inconclusive, "5 blocks are too few"},
		"nothing measured":    {atMost, rounds(SchedulerCPU, 0, 0, 0)[:2], Inconclusive, "1 blocks"},
		"CPU beside others":   {atMost, rounds(SchedulerCPU, 0.9, 1, 1, 1, 1, 1, 1), Met, ""},
		"clock beside others": {atLeast, rounds(PodsPerSecond, 0.2, 1, 1, 1, 1, 1, 1), Inconclusive, "others took more than 10%"},
		"fast enough":         {atLeast, rounds(PodsPerSecond, 0.05, 1, 1, 0.95, 1, 1, 1), Met, ""},
		"too slow":            {atLeast, rounds(PodsPerSecond, 0.05, 0.8, 0.7, 0.8, 0.8, 0.8, 0.8), Missed, ""},
		"another workload":    {Threshold{Workload: "v", Metric: SchedulerCPU, AtMost: 1}, rounds(SchedulerCPU, 0, 1, 1, 1, 1, 1, 1), Inconclusive, "0 blocks"},
	} {
		got := Judge(test.threshold, test.rounds)
		if got.Judgement != test.want || !strings.Contains(got.Why, test.why) {
			t.Errorf("%s: %s, %q, ratio %g [%g %g]; want %s, %q", name, got.Judgement, got.Why, got.Value, got.Low, got.High, test.want, test.why)
		}
	}
}

// Equal sides are almost never missed, a slowdown of a fifth always. The noise is 10 %, as measured on
// a busy machine.
func TestJudgementsAreRarelyWrong(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	count := func(effect float64) map[Judgement]int {
		counts := map[Judgement]int{}
		for range 1000 {
			var all []float64
			for range 10 {
				all = append(all, effect*(1+0.05*random.NormFloat64()))
			}
			counts[Judge(Threshold{Workload: "w", Metric: SchedulerCPU, AtMost: 1.1}, rounds(SchedulerCPU, 0, all...)).Judgement]++
		}
		return counts
	}
	if same := count(1); same[Missed] > 2 || same[Inconclusive] > 100 {
		t.Errorf("of 1000 comparisons of the same with the same: %v", same)
	}
	if slower := count(1.25); slower[Missed] < 950 || slower[Met] > 0 {
		t.Errorf("of 1000 comparisons with what is a quarter slower: %v", slower)
	}
}
