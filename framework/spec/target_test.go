package spec_test

import (
	"testing"

	"github.com/dra-conformance/dratest/framework/spec"
)

func TestTargetString(t *testing.T) {
	for _, tc := range []struct {
		stack map[string]string
		want  string
	}{
		{nil, "Kubernetes v1"},
		{map[string]string{"scheduler": spec.StockComponent}, "Kubernetes v1"},
		{map[string]string{"scheduler": spec.OwnComponent}, "Kubernetes v1 with own scheduler"},
		{map[string]string{"scheduler": spec.OwnComponent, "controllers": spec.StockComponent, "kubelet": "own on worker2"}, "Kubernetes v1 with own kubelet on worker2, scheduler"},
		{map[string]string{"scheduler": "own", "kubelet": "own", "controllers": "stock"}, "Kubernetes v1 with own kubelet, scheduler"},
	} {
		if got := (spec.Target{Kubernetes: "v1", Stack: tc.stack}).String(); got != tc.want {
			t.Errorf("got %q, want %q", got, tc.want)
		}
	}
}
