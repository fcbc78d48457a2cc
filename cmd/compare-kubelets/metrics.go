package main

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dra-conformance/dratest/framework/metrics"
)

// dropOccasional removes the families that one kubelet does not serve and that have
// labels, and returns their names: they appear when what they count happens first, for
// example an error of the container runtime. Those about DRA stay, because the same has
// happened on both sides.
func dropOccasional(stock, own facts) (dropped []string) {
	for _, side := range []struct{ served, other facts }{{stock, own}, {own, stock}} {
		for _, name := range slices.Sorted(maps.Keys(side.served)) {
			_, both := side.other[name]
			if !both && !strings.Contains(side.served[name], "{}") && !strings.Contains(name, " dra_") {
				dropped = append(dropped, name)
				delete(side.served, name)
			}
		}
	}
	return dropped
}

// metricFacts has a fact for each family that is served at a path: type, help and
// labels. Of those about DRA also the values of labels, because our own manager counts
// them and the same pods have run.
func metricFacts(path string, text []byte) (facts, error) {
	found, err := metrics.Parse(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	f := facts{}
	for name, family := range found {
		labels := map[string]bool{}
		for _, metric := range family.GetMetric() {
			for _, l := range metric.GetLabel() {
				label := l.GetName()
				if strings.HasPrefix(name, "dra_") {
					label += "=" + l.GetValue()
				}
				labels[label] = true
			}
		}
		f[path+" "+name] = fmt.Sprintf("%s{%s} %q", strings.ToLower(family.GetType().String()),
			strings.Join(slices.Sorted(maps.Keys(labels)), ","), family.GetHelp())
	}
	return f, nil
}
