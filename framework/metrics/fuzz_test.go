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

package metrics_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/framework/metrics"
)

// FuzzParse checks that a component's metrics are read or refused, and that no metric is lost when more follow.
func FuzzParse(f *testing.F) {
	f.Add([]byte("# TYPE a histogram\na_bucket{le=\"1\"} 2\na_bucket{le=\"+Inf\"} 3\na_sum 4\na_count 3\n"))
	f.Add([]byte("# HELP a b\\n\n# TYPE a summary\na{quantile=\"0.5\",b=\"\\\"\"} NaN 5\n{\"é\"} -Inf\n"))
	f.Add([]byte("# TYPE a histogram\n{le=\"1\"} 2\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		families, err := metrics.Parse(bytes.NewReader(text))
		if err != nil {
			if families != nil {
				t.Errorf("%d metrics of a text that cannot be read: %v", len(families), err)
			}
			return
		}
		more, err := metrics.Parse(strings.NewReader("fuzz_other 1\n" + string(text)))
		if err != nil || len(more) < len(families) {
			t.Errorf("%d metrics, with one more %d: %v", len(families), len(more), err)
		}
		for _, family := range families {
			for _, metric := range family.GetMetric() {
				_ = metrics.Label(metric, "name")
			}
		}
	})
}
