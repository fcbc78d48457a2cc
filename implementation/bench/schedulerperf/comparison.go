package schedulerperf

import (
	"cmp"
	"slices"
)

// Comparison is what the runs of one workload say.
type Comparison struct {
	Workload string `json:"workload"`
	// Ratio is our pods per second divided by upstream's: the median of the pairs
	// of runs that followed each other, because a machine that slows down slows
	// both. 0 means that no pair succeeded. Lowest and Highest are its extremes.
	Ratio   float64 `json:"ratio"`
	Lowest  float64 `json:"lowestRatio"`
	Highest float64 `json:"highestRatio"`
	// Filter is our average of the Filter extension point divided by upstream's.
	Filter float64 `json:"filterRatio"`
	// Sides are the medians of each side, upstream's first.
	Sides []Measurement `json:"sides"`
	// Failed counts the runs without numbers.
	Failed int `json:"failed"`
}

// Compare sums the runs up, in the order in which workloads first appear.
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
	var ratios, filters []float64
	var pairs [2][]Measurement
	for _, repetition := range repetitions {
		a, b := stock[repetition], other[repetition]
		if b.Workload == "" || a.PodsPerSecond == 0 || a.Filter == 0 {
			continue
		}
		ratios = append(ratios, b.PodsPerSecond/a.PodsPerSecond)
		filters = append(filters, b.Filter/a.Filter)
		pairs[0], pairs[1] = append(pairs[0], a), append(pairs[1], b)
	}
	if len(ratios) == 0 {
		return c
	}
	c.Ratio, c.Lowest, c.Highest = median(ratios), slices.Min(ratios), slices.Max(ratios)
	c.Filter = median(filters)
	c.Sides = []Measurement{typical(pairs[0]), typical(pairs[1])}
	return c
}

// typical is the run in the middle by pods per second, with the medians of all
// runs as its numbers. What is not a number, the profile say, is that run's own.
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

// numbers are what medians are made of.
func (m *Measurement) numbers() []*float64 {
	return []*float64{
		&m.PodsPerSecond, &m.Filter, &m.PreFilter, &m.PluginFilter, &m.PluginPreFilter,
		&m.HeapAverage, &m.HeapMax, &m.Resident, &m.CPU, &m.Others, &m.Measured, &m.Elapsed,
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
