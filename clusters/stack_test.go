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

package clusters_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/clusters"
)

func TestParseStack(t *testing.T) {
	for _, tc := range []struct{ in, out, message string }{
		{"own", "own", ""},
		{"stock", "stock", ""},
		{"scheduler=own", "scheduler=own", ""},
		{"scheduler=stock", "stock", ""},
		{"kubelet=own,scheduler=stock", "kubelet=own", ""},
		{"scheduler=own,controllers=own,kubelet=own", "own", ""},
		{"scheduler=own,controllers=own,kubelet=own:worker2", "scheduler=own,controllers=own,kubelet=own:worker2", ""},
		{"kubelet=own:worker:worker2", "kubelet=own:worker:worker2", ""},
		{"kubelet=own:worker,kubelet=own", "kubelet=own", ""},
		{"", "", "neither stock, own nor a list"},
		{"ours", "", "neither stock, own nor a list"},
		{"etcd=own", "", `no component "etcd" can be chosen, known are [scheduler controllers kubelet]`},
		{"scheduler=mine", "", `scheduler: "mine" is neither stock nor own`},
		{"controllers=none", "", `controllers: "none" is neither stock nor own`},
		{"scheduler=own:worker", "", `scheduler: "own:worker" is neither stock nor own`},
		{"kubelet=own:", "", `kubelet: node ""`},
		{"kubelet=own:-", "", `kubelet: node "-"`},
		{"scheduler=own,", "", "neither stock, own nor a list"},
	} {
		got, err := clusters.ParseStack(tc.in)
		if tc.message == "" && (err != nil || got.String() != tc.out) {
			t.Errorf("%q: got %q, %v", tc.in, got, err)
		}
		if tc.message != "" && (err == nil || !strings.Contains(err.Error(), tc.message)) {
			t.Errorf("%q: got error %v", tc.in, err)
		}
	}
}

func TestStackOver(t *testing.T) {
	parse := func(text string) clusters.Stack {
		s, err := clusters.ParseStack(text)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	own, stock := parse("own"), clusters.AllStock()
	for _, tc := range []struct{ above, below, want clusters.Stack }{
		{clusters.Stack{}, own, own},
		{stock, own, stock},
		{own, stock, own},
		{clusters.Stack{}, clusters.Stack{}, clusters.Stack{}},
		{parse("scheduler=own"), stock, parse("scheduler=own,controllers=stock,kubelet=stock")},
		{parse("kubelet=own"), parse("kubelet=own:worker"), parse("kubelet=own")},
		{parse("scheduler=own"), parse("kubelet=own:worker"), parse("scheduler=own,kubelet=own:worker")},
	} {
		if d := cmp.Diff(tc.want, tc.above.Over(tc.below)); d != "" {
			t.Errorf("%q over %q: %s", tc.above, tc.below, d)
		}
	}
	if !own.HasOwn() || stock.HasOwn() || (clusters.Stack{}).HasOwn() {
		t.Error("HasOwn is wrong")
	}
	if (clusters.Stack{KubeletNodes: []string{"worker"}}).Validate() == nil {
		t.Error("nodes of no kubelet are accepted")
	}
}
