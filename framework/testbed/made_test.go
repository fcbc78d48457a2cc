package testbed

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/clusters"
)

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
