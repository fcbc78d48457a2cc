package plan_test

import (
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/framework/plan"
	"github.com/dra-conformance/dratest/framework/spec"
)

func TestNoExcuse(t *testing.T) {
	target := spec.Target{
		Nodes: []spec.Node{
			{Name: "old", Kubelet: "v1.36.4"}, {Name: "stock", Kubelet: "v1.37.1"},
			{Name: "own", Kubelet: "v1.37.1" + spec.OwnKubeletMark}, {Name: "new", Kubelet: "v1.38.0-alpha.1"}, {Name: "odd", Kubelet: "unknown"},
		},
		Stack:      map[string]string{spec.Scheduler: spec.StockComponent, spec.Controllers: spec.OwnComponent},
		Components: map[string]string{"kube-scheduler": "v1.37.9", "kube-controller-manager": "v1.37.9"},
	}
	for _, tc := range []struct {
		name, component string
		nodes           []string
		want            string
	}{
		{"kubelets of named releases", spec.Kubelet, []string{"old", "stock"}, ""},
		{"one own kubelet", spec.Kubelet, []string{"stock", "own"}, "the kubelet of own is not Kubernetes' own"},
		{"newer kubelet", spec.Kubelet, []string{"new"}, "v1.38.0-alpha.1, and that was last seen in 1.37"},
		{"version that is none", spec.Kubelet, []string{"odd"}, `"unknown"`},
		{"node that is not known", spec.Kubelet, []string{"other"}, "not Kubernetes' own, as far as can be seen"},
		{"stock scheduler", spec.Scheduler, []string{"own"}, ""},
		{"own controllers", spec.Controllers, []string{"stock"}, "the controller manager is not Kubernetes' own"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := plan.NoExcuse(spec.KnownIssue{Component: tc.component, Through: "1.37"}, target, tc.nodes)
			if (got == "") != (tc.want == "") || !strings.Contains(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
	for version, excused := range map[string]bool{"v1.37.1-eks-1": true, "v1.38.0": false, "": false} {
		unseen := spec.Target{Kubernetes: version}
		if got := plan.NoExcuse(spec.KnownIssue{Component: spec.Scheduler, Through: "1.37"}, unseen, nil); (got == "") != excused {
			t.Errorf("a scheduler that cannot be seen, beside an API server %q: %q", version, got)
		}
	}
}
