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

package metrics

import (
	"strings"
	"testing"
)

func TestValue(t *testing.T) {
	families, err := Parse(strings.NewReader(`# TYPE in_use gauge
in_use{driver="a"} 2
in_use{driver="b"} 0
# TYPE seconds histogram
seconds_bucket{operation="prepare",error="true",le="+Inf"} 3
seconds_sum{operation="prepare",error="true"} 1
seconds_count{operation="prepare",error="true"} 3
seconds_bucket{operation="prepare",error="false",le="+Inf"} 4
seconds_sum{operation="prepare",error="false"} 1
seconds_count{operation="prepare",error="false"} 4
`))
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name, metric string
		labels       map[string]string
		value        float64
		found        bool
	}{
		{"one of several", "in_use", map[string]string{"driver": "a"}, 2, true},
		{"one that is 0", "in_use", map[string]string{"driver": "b"}, 0, true},
		{"all", "in_use", nil, 2, true},
		{"other value", "in_use", map[string]string{"driver": "c"}, 0, false},
		{"label that is not there", "in_use", map[string]string{"node": "a"}, 0, false},
		{"count by two labels", "seconds", map[string]string{"operation": "prepare", "error": "true"}, 3, true},
		{"sum of counts", "seconds", map[string]string{"operation": "prepare"}, 7, true},
		{"metric that is not there", "other", nil, 0, false},
	} {
		if value, found := Value(families[tc.metric], tc.labels); value != tc.value || found != tc.found {
			t.Errorf("%s: got %g, %t, want %g, %t", tc.name, value, found, tc.value, tc.found)
		}
	}
}

func TestDispatched(t *testing.T) {
	found, err := Parse(strings.NewReader(`# TYPE apiserver_flowcontrol_dispatched_requests_total counter
apiserver_flowcontrol_dispatched_requests_total{flow_schema="compare-a",priority_level="system"} 3
apiserver_flowcontrol_dispatched_requests_total{flow_schema="compare-a",priority_level="other"} 2
apiserver_flowcontrol_dispatched_requests_total{flow_schema="compare-ab",priority_level="system"} 7
`))
	if err != nil {
		t.Fatal(err)
	}
	for schema, want := range map[string]float64{"compare-a": 5, "compare-ab": 7, "compare-b": 0} {
		if got := Dispatched(found, schema); got != want {
			t.Errorf("%s: %v requests, want %v", schema, got, want)
		}
	}
}
