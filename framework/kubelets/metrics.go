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

package kubelets

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dra-conformance/dratest/framework/metrics"
)

// metricFacts returns a fact for each metric family of a path: type, help and labels. DRA families
// also have one per series: our manager counts them itself, and the same pods have run.
func metricFacts(path string, text []byte) (facts, error) {
	found, err := metrics.Parse(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	f := facts{}
	for name, family := range found {
		labels := map[string]bool{}
		for _, metric := range family.GetMetric() {
			var series []string
			for _, l := range metric.GetLabel() {
				labels[l.GetName()] = true
				series = append(series, l.GetName()+"="+l.GetValue())
			}
			if strings.HasPrefix(name, "dra_") {
				slices.Sort(series)
				f[fmt.Sprintf("%s %s{%s}", path, name, strings.Join(series, ","))] = "counts it"
			}
		}
		f[path+" "+name] = fmt.Sprintf("%s{%s} %q", strings.ToLower(family.GetType().String()),
			strings.Join(slices.Sorted(maps.Keys(labels)), ","), family.GetHelp())
	}
	return f, nil
}
