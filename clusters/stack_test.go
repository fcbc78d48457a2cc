package clusters_test

import (
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/clusters"
)

func TestParseStack(t *testing.T) {
	for _, tc := range []struct{ in, out, says string }{
		{"own", "scheduler=own", ""},
		{"stock", "stock", ""},
		{"scheduler=own", "scheduler=own", ""},
		{"scheduler=stock", "stock", ""},
		{"", "", "neither stock, own nor a list"},
		{"ours", "", "neither stock, own nor a list"},
		{"kubelet=own", "", `no component "kubelet" can be chosen, known are [scheduler]`},
		{"scheduler=mine", "", `scheduler: "mine" is neither stock nor own`},
		{"scheduler=own,", "", "neither stock, own nor a list"},
	} {
		got, err := clusters.ParseStack(tc.in)
		if tc.says == "" && (err != nil || got.String() != tc.out) {
			t.Errorf("%q: got %q, %v", tc.in, got, err)
		}
		if tc.says != "" && (err == nil || !strings.Contains(err.Error(), tc.says)) {
			t.Errorf("%q: got error %v", tc.in, err)
		}
	}
}

func TestStackOver(t *testing.T) {
	own, stock := clusters.Stack{Scheduler: clusters.Own}, clusters.AllStock()
	for _, tc := range []struct{ above, below, want clusters.Stack }{
		{clusters.Stack{}, own, own},
		{stock, own, stock},
		{own, stock, own},
		{clusters.Stack{}, clusters.Stack{}, clusters.Stack{}},
	} {
		if got := tc.above.Over(tc.below); got != tc.want {
			t.Errorf("%q over %q: got %q", tc.above, tc.below, got)
		}
	}
	if !own.HasOwn() || stock.HasOwn() || (clusters.Stack{}).HasOwn() {
		t.Error("HasOwn is wrong")
	}
}
