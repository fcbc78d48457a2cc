package metrics_test

import (
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/framework/metrics"
)

func TestLabel(t *testing.T) {
	families, err := metrics.Parse(strings.NewReader("# TYPE up gauge\nup{node=\"a\"} 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"node": "a", "pod": ""} {
		if got := metrics.Label(families["up"].GetMetric()[0], name); got != want {
			t.Errorf("label %s is %q, want %q", name, got, want)
		}
	}
}

func TestParseNonsense(t *testing.T) {
	if _, err := metrics.Parse(strings.NewReader("<html>")); err == nil || !strings.Contains(err.Error(), "parse metrics: ") {
		t.Errorf("got error %v", err)
	}
}
