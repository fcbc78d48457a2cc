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

package explore

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	k8stesting "k8s.io/client-go/testing"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/problem"
	"github.com/dra-conformance/dratest/framework/problem/generate"
	"github.com/dra-conformance/dratest/framework/testbed"
)

// An object without the label would stay in the cluster; one without the prefix could belong to another user.
func TestReplayRefused(t *testing.T) {
	p, err := scope(generate.Stored(1, 3, nil), "x7x", "ns")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	name, err := writeFinding(dir, "finding.yaml", Finding{}, &trial{id: "x7x", namespace: namespaceObject("ns"), problem: p})
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ old, changed string }{
		{"x7x", "a"}, // would be replaced everywhere
		{"driver: ", "driver: gpu.vendor.com #"},
		{"name: x7x-", "name: worker-"},
		{label + ": x7x\n", label + ": x8x\n"},
		{"\nkind: DeviceClass\nmetadata:\n  labels:\n    " + label + ": x7x\n", "\nkind: DeviceClass\nmetadata:\n"},
	} {
		file := filepath.Join(dir, "hostile.yaml")
		changed := strings.ReplaceAll(string(content), tc.old, tc.changed)
		if changed == string(content) {
			t.Errorf("there is no %q", tc.old)
		}
		if err := os.WriteFile(file, []byte(changed), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, id, err := read(file); err == nil {
			t.Errorf("%q replaced by %q: replayed as %s", tc.old, tc.changed, id)
		}
	}
}

// A replayed class would serve the extended resource of another user's pods.
func TestReplayOfForeignResourcesRefused(t *testing.T) {
	generated := 0
	for number := range uint64(100) {
		p, err := scope(generate.Stored(1, number, nil), "x7x", "ns")
		if err != nil {
			t.Fatal(err)
		}
		if err := scopedAs(p, "x7x"); err != nil {
			t.Errorf("problem %d: %v", number, err)
		}
		for i := range p.Classes {
			if p.Classes[i].Spec.ExtendedResourceName != nil {
				generated++
				p.Classes[i].Spec.ExtendedResourceName = ptr.To("vendor.com/gpu")
				if scopedAs(p, "x7x") == nil {
					t.Errorf("problem %d: replayed with vendor.com/gpu", number)
				}
			}
		}
	}
	foreign := &problem.Problem{Pods: []problem.Pod{{Containers: []problem.Container{{Extended: map[string]int64{"vendor.com/gpu": 1}}}}}}
	if generated == 0 || scopedAs(foreign, "x7x") == nil {
		t.Errorf("%d classes; a pod requesting vendor.com/gpu was replayed", generated)
	}
}

// These exited with 3, as if there were no cluster.
func TestUnreadableFilesAreWrongUsage(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, SummaryFile), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, o := range []Options{{Replay: filepath.Join(dir, "none.yaml")}, {Replay: filepath.Join(dir, SummaryFile)}, {Resume: true}} {
		o.ReportDir = dir
		if err := (&exploring{options: o}).Clean(); !errors.As(err, new(clusters.UsageError)) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// A replay keeps the exploration in its report directory.
func TestReplayKeepsFindings(t *testing.T) {
	dir := t.TempDir()
	p, err := scope(generate.Stored(1, 3, nil), "x7x", "ns")
	if err != nil {
		t.Fatal(err)
	}
	name, err := writeFinding(dir, "finding-7.yaml", Finding{Number: 7}, &trial{id: "x7x", namespace: namespaceObject("ns"), problem: p})
	if err != nil {
		t.Fatal(err)
	}
	before := Summary{Seed: 5, Next: 12, Problems: 10}
	if err := before.write(filepath.Join(dir, SummaryFile)); err != nil {
		t.Fatal(err)
	}
	o := Options{Replay: filepath.Join(dir, name)}
	o.ReportDir = dir
	e := &exploring{options: o}
	if err := e.Clean(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
		t.Error(err)
	}
	if got, err := load(dir, Options{Seed: 5}); err != nil || got.Next != 12 || filepath.Base(e.summaryPath()) == SummaryFile || e.findingName(7) == name {
		t.Errorf("%+v, %v; the replay writes %s and %s", got, err, e.summaryPath(), e.findingName(7))
	}
}

// Without a problem with all features, or after an interrupt, the search for a problem ends.
func TestTakeEnds(t *testing.T) {
	e := &exploring{options: Options{Seed: 1, Features: []string{"admin access"}}, off: problem.Gates(), running: map[uint64]bool{}}
	if _, _, ok := e.take(t.Context()); ok || len(e.summary.Troubles) != 1 || len(e.running) != 0 {
		t.Errorf("found %v, troubles %q", ok, e.summary.Troubles)
	}
	e.summary.judge()
	if e.summary.Verdict != "Incomplete" {
		t.Errorf("verdict %s", e.summary.Verdict)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	e = &exploring{running: map[uint64]bool{}}
	if _, _, ok := e.take(ended); ok {
		t.Error("a problem after the end")
	}
}

// deleted returns the collections deleted by a client, with their selectors: fakes ignore these deletions.
func deleted(client *fake.Clientset) string {
	var all []string
	for _, a := range client.Actions() {
		if d, ok := a.(k8stesting.DeleteCollectionAction); ok && a.GetVerb() == "delete-collection" {
			all = append(all, a.GetResource().Resource+" "+d.GetListRestrictions().Labels.String())
		}
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// Leftovers of an ended exploration are removed; objects of others are kept, even a namespace of the same
// name.
func TestRemove(t *testing.T) {
	client := fake.NewClientset(namespaceObject("dratest-explore-0"), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "dratest-explore-1"}})
	e := &exploring{bed: &testbed.Testbed{Client: client}, slots: []*slot{{namespace: namespaceObject("dratest-explore-1")}}}
	if err := e.remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, want := deleted(client), strings.ReplaceAll("deviceclasses L, devicetaintrules L, nodes L, resourceslices L", "L", label); got != want {
		t.Errorf("deleted: %s, want %s", got, want)
	}
	left, err := client.CoreV1().Namespaces().List(t.Context(), metav1.ListOptions{})
	if err != nil || len(left.Items) != 1 || left.Items[0].Name != "dratest-explore-1" {
		t.Errorf("left: %v, %v", left.Items, err)
	}
}

// Nodes are removed even if deleting pods fails.
func TestTrialRemove(t *testing.T) {
	client := fake.NewClientset()
	client.PrependReactor("delete-collection", "pods", func(k8stesting.Action) (bool, runtime.Object, error) {
		return true, nil, errors.New("etcd is slow")
	})
	tr := &trial{client: client, id: "x0x", namespace: namespaceObject("ns")}
	if err := tr.remove(t.Context()); err == nil || !strings.Contains(err.Error(), "etcd is slow") {
		t.Error(err)
	}
	if got, want := deleted(client), strings.ReplaceAll("deviceclasses L, devicetaintrules L, nodes L, pods L, resourceslices L", "L", label+"=x0x"); got != want {
		t.Errorf("deleted: %s, want %s", got, want)
	}
}
