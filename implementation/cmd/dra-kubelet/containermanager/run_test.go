package containermanager

import (
	"testing"

	"k8s.io/kubernetes/pkg/kubelet"
	"k8s.io/kubernetes/pkg/util/oom"
)

func TestOnceManagerExists(t *testing.T) {
	var calls []string
	deps := &kubelet.Dependencies{OOMAdjuster: &oom.OOMAdjuster{ApplyOOMScoreAdj: func(int, int) error {
		calls = append(calls, "adjust")
		return nil
	}}}
	onceManagerExists(deps, func() { calls = append(calls, "install") })
	for range 2 {
		if err := deps.OOMAdjuster.ApplyOOMScoreAdj(0, -999); err != nil {
			t.Fatal(err)
		}
	}
	if len(calls) != 3 || calls[0] != "install" || calls[1] != "adjust" || calls[2] != "adjust" {
		t.Errorf("calls are %v", calls)
	}
}
