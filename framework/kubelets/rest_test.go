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
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/framework/metrics"
)

func TestRequestsOfOneKubelet(t *testing.T) {
	found, err := metrics.Parse(strings.NewReader(`# TYPE apiserver_flowcontrol_dispatched_requests_total counter
apiserver_flowcontrol_dispatched_requests_total{flow_schema="compare-a",priority_level="system"} 3
apiserver_flowcontrol_dispatched_requests_total{flow_schema="compare-a",priority_level="other"} 2
apiserver_flowcontrol_dispatched_requests_total{flow_schema="compare-ab",priority_level="system"} 7
`))
	if err != nil {
		t.Fatal(err)
	}
	for node, want := range map[string]float64{"a": 5, "ab": 7, "b": 0} {
		if got := requestsIn(found, kubelet{node: node}.schema()); got != want {
			t.Errorf("%s: %v requests, want %v", node, got, want)
		}
	}
}
