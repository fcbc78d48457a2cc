package main

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
