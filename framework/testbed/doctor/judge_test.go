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

package doctor

import (
	"errors"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/dra-conformance/dratest/clusters/host"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/framework/testbed/access"
)

func worker(name string) spec.Node { return spec.Node{Name: name, OS: "linux", Schedulable: true} }

// healthy has nothing to complain about.
func healthy() facts {
	return facts{target: spec.Target{
		Server: "https://192.0.2.1", Kubernetes: "v1.37.1", ResourceAPIs: []string{"v1"}, Nodes: []spec.Node{worker("a"), worker("b")},
		Running: []spec.Component{{Name: spec.Scheduler, Whose: spec.Stock}, {Name: spec.Controllers, Whose: spec.Other, Basis: spec.Claimed}},
		Gates:   map[spec.Feature]bool{"DRAAdminAccess": true, "DRADeviceTaints": false},
	}}
}

func TestJudge(t *testing.T) {
	for _, test := range []struct {
		name string
		edit func(*facts)
		row  string
		want host.State
		text []string
	}{
		{"healthy", func(*facts) {}, "", host.OK, nil},
		{"unusable", func(f *facts) { f.unusable = errors.New("no v1\nno CDI") }, "DRA", host.Missing, []string{"no v1; no CDI"}},
		{"one worker", func(f *facts) {
			f.target.Nodes[1].Schedulable, f.leftOut = false, map[string]string{"b": "cordoned"}
		}, "nodes", host.Warning, []string{"2, of which 1", "b: cordoned", "two nodes"}},
		{"rights", func(f *facts) {
			f.lacks = []access.Right{{Verb: "list", Resource: "nodes"}, {Verb: "get", Path: "/metrics"}, {Verb: "create", Resource: "pods"}, {Verb: "get", Resource: "pods"}}
		}, "rights", host.Missing, []string{"lacks 4: list nodes, get /metrics, create pods, 1 more"}},
		{"disruptive rights", func(f *facts) { f.lacksDisruptive = []access.Right{{Verb: "create", Resource: "nodes"}} }, "rights of --disruptive", host.Warning, []string{"create nodes", "-- --disruptive"}},
		{"gates unseen", func(f *facts) { f.target.Gates, f.target.GatesUnseen = nil, "forbidden" }, "feature gates", host.Warning, []string{"forbidden", "/metrics"}},
		{"managed control plane", func(f *facts) { f.target.Running = nil }, "components", host.Warning, []string{"--assume-stock=controllers,scheduler"}},
		{"image of a mirror", func(f *facts) { f.target.Running[0].Whose = spec.Other }, "components", host.Warning, []string{"not identified: scheduler", "--assume-stock=scheduler"}},
		{"images", func(f *facts) { f.pulled = map[string][]string{"example.com/a:1": {"a"}, "example.com/b:1": nil} }, "images", host.Warning, []string{"to be pulled: example.com/a:1 (1 of 2 nodes)"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := healthy()
			test.edit(&f)
			for _, row := range judge(f) {
				want := host.OK
				if row.Name == test.row {
					want = test.want
					for _, text := range test.text {
						if !strings.Contains(row.Found+" "+row.Advice, text) {
							t.Errorf("no %q in %+v", text, row)
						}
					}
				}
				if row.State != want {
					t.Errorf("%+v, want %s", row, want)
				}
			}
		})
	}
}

func TestWithout(t *testing.T) {
	node := func(name string, images ...string) *corev1.Node {
		return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}, Status: corev1.NodeStatus{Images: []corev1.ContainerImage{{Names: images}}}}
	}
	b := &testbed.Testbed{Client: fake.NewClientset(node("a", "example.com/a:1"), node("b"), node("control-plane"))}
	b.Target.Nodes = []spec.Node{worker("a"), worker("b")}
	got, err := without(t.Context(), b, []string{"example.com/a:1"})
	if err != nil || !slices.Equal(got["example.com/a:1"], []string{"b"}) {
		t.Errorf("%v, %v", got, err)
	}
}
