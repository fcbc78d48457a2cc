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

package schedulerperf

import (
	"cmp"
	"math"
	"slices"
)

// Comparison summarizes the runs of one workload.
type Comparison struct {
	Workload string `json:"workload"`
	// Ratio is our pods per second divided by upstream's: the median over pairs of consecutive
	// runs, because a slower machine slows down both. 0 means that no pair succeeded. Lowest and
	// Highest are its extremes.
	Ratio   float64 `json:"ratio"`
	Lowest  float64 `json:"lowestRatio"`
	Highest float64 `json:"highestRatio"`
	// Filter is our average of the Filter extension point divided by upstream's.
	Filter float64 `json:"filterRatio"`
	// Sides are the medians of each side, upstream first.
	Sides []Measurement `json:"sides"`
	// Failed counts the runs without numbers.
	Failed int `json:"failed"`
	// Why is the error of a failed run, after its side: the first unexcused one, if any.
	Why string `json:"why,omitempty"`
	// Excused is set if no failure counts against our plugin, because upstream's never succeeds
	// either, or there is too little to measure.
	Excused bool `json:"excused,omitempty"`
	// PluginCPU is our plugin's CPU time per pod divided by upstream's, the median over pairs like
	// Ratio.
	PluginCPU float64 `json:"pluginCPURatio,omitempty"`
}

// Compare summarizes the runs, in order of the workloads' first appearance.
func Compare(runs []Measurement) []Comparison {
	var names []string
	for _, m := range runs {
		if !slices.Contains(names, m.Workload) {
			names = append(names, m.Workload)
		}
	}
	result := make([]Comparison, 0, len(names))
	for _, name := range names {
		of := slices.DeleteFunc(slices.Clone(runs), func(m Measurement) bool { return m.Workload != name })
		result = append(result, compareOne(name, of))
	}
	return result
}

func compareOne(name string, runs []Measurement) Comparison {
	c := Comparison{Workload: name}
	stock, other := map[int]Measurement{}, map[int]Measurement{}
	var repetitions []int
	for _, m := range runs {
		switch {
		case m.Error != "":
			c.Failed++
		case m.Side == stockSide:
			stock[m.Repetition] = m
			repetitions = append(repetitions, m.Repetition)
		default:
			other[m.Repetition] = m
		}
	}
	c.Why, c.Excused = blame(runs)
	var ratios, filters, costs []float64
	var pairs [2][]Measurement
	for _, repetition := range repetitions {
		a, b := stock[repetition], other[repetition]
		if b.Workload == "" || a.PodsPerSecond == 0 || a.Filter == 0 {
			continue
		}
		ratios = append(ratios, b.PodsPerSecond/a.PodsPerSecond)
		filters = append(filters, b.Filter/a.Filter)
		if a.PluginCPU > 0 {
			costs = append(costs, b.PluginCPU/a.PluginCPU)
		}
		pairs[0], pairs[1] = append(pairs[0], a), append(pairs[1], b)
	}
	if len(ratios) == 0 {
		return c
	}
	c.Ratio, c.Lowest, c.Highest = median(ratios), slices.Min(ratios), slices.Max(ratios)
	c.Filter = median(filters)
	c.Sides = []Measurement{typical(pairs[0]), typical(pairs[1])}
	if len(costs) > 0 {
		c.PluginCPU = median(costs)
	}
	return c
}

// blame returns why runs of one workload failed, and whether that is excused. It is not if
// upstream's plugin succeeded at least once where ours failed.
func blame(runs []Measurement) (why string, excused bool) {
	first := func(matches func(Measurement) bool) string {
		if i := slices.IndexFunc(runs, matches); i >= 0 {
			return runs[i].Side + ": " + runs[i].Error
		}
		return ""
	}
	upstream := slices.ContainsFunc(runs, func(m Measurement) bool { return m.Side == stockSide && (m.Error == "" || m.Short) })
	ours := first(func(m Measurement) bool { return m.Side != stockSide && m.Error != "" && !m.Short })
	if upstream && ours != "" {
		return ours, false
	}
	why = first(func(m Measurement) bool { return m.Error != "" })
	return why, why != ""
}

// Means are geometric means of the ratios, each over the workloads with that ratio.
type Means struct {
	PodsPerSecond float64 `json:"podsPerSecond"`
	PluginCPU     float64 `json:"pluginCPU"`
	// Workloads is the number of workloads with the first ratio.
	Workloads int `json:"workloads"`
}

func meansOf(comparisons []Comparison) Means {
	var rates, costs []float64
	for _, c := range comparisons {
		if c.Ratio > 0 {
			rates = append(rates, c.Ratio)
		}
		if c.PluginCPU > 0 {
			costs = append(costs, c.PluginCPU)
		}
	}
	return Means{PodsPerSecond: geometricMean(rates), PluginCPU: geometricMean(costs), Workloads: len(rates)}
}

func geometricMean(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	var sum float64
	for _, v := range values {
		sum += math.Log(v)
	}
	return math.Exp(sum / float64(len(values)))
}

// typical is the median run by pods per second, with the medians of all runs as its numbers. Other
// fields, such as the profile, are from that run.
func typical(runs []Measurement) Measurement {
	sorted := slices.Clone(runs)
	slices.SortStableFunc(sorted, func(a, b Measurement) int { return cmp.Compare(a.PodsPerSecond, b.PodsPerSecond) })
	m := sorted[(len(sorted)-1)/2]
	values := make([][]float64, len(m.numbers()))
	for _, run := range sorted {
		for i, number := range run.numbers() {
			values[i] = append(values[i], *number)
		}
	}
	for i, number := range m.numbers() {
		*number = median(values[i])
	}
	return m
}

// numbers are the inputs of medians.
func (m *Measurement) numbers() []*float64 {
	return []*float64{
		&m.PodsPerSecond, &m.Filter, &m.PreFilter, &m.PluginFilter, &m.PluginPreFilter,
		&m.HeapAverage, &m.HeapMax, &m.Resident, &m.CPU, &m.Others, &m.Measured, &m.Elapsed, &m.PluginCPU,
	}
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}
