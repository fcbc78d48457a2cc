package main

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dra-conformance/dratest/framework/metrics"
)

// metricFacts has a fact for each family that is served at a path: type, help and
// labels. Of those about DRA there is also one for each value of a label, because our own
// manager counts them and the same pods have run.
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
				labels[l.GetName()] = true
				if strings.HasPrefix(name, "dra_") {
					f[fmt.Sprintf("%s %s{%s=%s}", path, name, l.GetName(), l.GetValue())] = "counts it"
				}
			}
		}
		f[path+" "+name] = fmt.Sprintf("%s{%s} %q", strings.ToLower(family.GetType().String()),
			strings.Join(slices.Sorted(maps.Keys(labels)), ","), family.GetHelp())
	}
	return f, nil
}
