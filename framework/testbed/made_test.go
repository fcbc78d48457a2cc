package testbed

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/spec"
)

// A known issue is excused, or not, also where components are processes.
func TestComponentsOfWhatWasMade(t *testing.T) {
	made := clusters.Cluster{Version: "v1.37.1", Stack: clusters.Stack{Scheduler: clusters.Own, Controllers: clusters.Stock, Kubelet: clusters.None}}
	seen := []spec.Component{{Name: spec.Controllers, Version: "v1.36.0", Whose: spec.Other}}
	want := append(slices.Clone(seen), spec.Component{Name: spec.Scheduler, Program: spec.Scheduler, Version: "v1.37.1", Whose: spec.Own})
	if diff := cmp.Diff(want, withMadeRunning(seen, made)); diff != "" {
		t.Error(diff)
	}
}

// Components that run as processes are seen by no probe; what a probe sees counts more.
func TestStackOfWhatWasMade(t *testing.T) {
	made := clusters.Stack{Scheduler: clusters.Own, Controllers: clusters.None}
	for name, tc := range map[string]struct{ seen, want map[string]string }{
		"unseen": {nil, map[string]string{"scheduler": "own"}},
		"seen":   {map[string]string{"scheduler": "stock", "kubelet": "stock"}, map[string]string{"scheduler": "stock", "kubelet": "stock"}},
	} {
		if diff := cmp.Diff(tc.want, withMade(tc.seen, made)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// Runs that are repeated open the cluster by its kubeconfig.
func TestUnseenOfWhatWasMade(t *testing.T) {
	for provider, want := range map[string][]string{clusters.ProviderControlPlane: {spec.Scheduler}, clusters.ProviderKind: nil} {
		b := Testbed{made: clusters.Cluster{Provider: provider, Stack: clusters.Stack{Scheduler: clusters.Stock, Controllers: clusters.Own}}}
		if diff := cmp.Diff(want, b.Unseen()); diff != "" {
			t.Errorf("%s: %s", provider, diff)
		}
	}
}
