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
	"testing"

	"github.com/google/go-cmp/cmp"
)

const someMetrics = `# HELP a_total Number of a.
# TYPE a_total counter
a_total{x="1"} 5
a_total{x="2",y="3"} 6
# HELP dra_seconds Time.
# TYPE dra_seconds histogram
dra_seconds_bucket{name="Prepare",error="true",le="+Inf"} 2
dra_seconds_sum{name="Prepare",error="true"} 1
dra_seconds_count{name="Prepare",error="true"} 2
`

func TestMetricFacts(t *testing.T) {
	got, err := metricFacts("/metrics", []byte(someMetrics))
	if err != nil {
		t.Fatal(err)
	}
	want := facts{
		"/metrics a_total":                              `counter{x,y} "Number of a."`,
		"/metrics dra_seconds":                          `histogram{error,name} "Time."`,
		"/metrics dra_seconds{error=true,name=Prepare}": "counts it",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
}

// A different value is no difference; a different name, help or type is one.
func TestMetricsThatDiffer(t *testing.T) {
	for _, row := range []struct {
		name, other string
		same        bool
	}{
		{"count", "# HELP a A.\n# TYPE a counter\na{x=\"2\"} 7\n", true},
		{"type", "# HELP a A.\n# TYPE a gauge\na{x=\"1\"} 1\n", false},
		{"help", "# HELP a B.\n# TYPE a counter\na{x=\"1\"} 1\n", false},
		{"label", "# HELP a A.\n# TYPE a counter\na{y=\"1\"} 1\n", false},
		{"name", "# HELP b A.\n# TYPE b counter\nb{x=\"1\"} 1\n", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			stock, err := metricFacts("/metrics", []byte("# HELP a A.\n# TYPE a counter\na{x=\"1\"} 1\n"))
			if err != nil {
				t.Fatal(err)
			}
			own, err := metricFacts("/metrics", []byte(row.other))
			if err != nil {
				t.Fatal(err)
			}
			if lines := differences(stock, own, "m"); (len(lines) == 0) != row.same {
				t.Errorf("same should be %t: %q", row.same, lines)
			}
		})
	}
}
