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

package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/kubernetes/fake"

	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/upgrade/cases"
	"github.com/dra-conformance/dratest/upgrade/change"
	"github.com/dra-conformance/dratest/upgrade/path"
)

// fakeCluster does steps at once, or not at all.
type fakeCluster struct {
	Clusters // only Logs is called

	mutex sync.Mutex
	done  []string
	fail  map[int]error // by the number of the call
	hang  int           // the call lasting until interrupted
	hangs func()        // is called then
	logs  int
	down  func() error // is called while a kubelet is stopped
}

func (*fakeCluster) Provide(context.Context, path.Path) error { return nil }

func (c *fakeCluster) Do(ctx context.Context, step path.Step) (change.Done, error) {
	c.mutex.Lock()
	c.done = append(c.done, step.String())
	number := len(c.done)
	c.mutex.Unlock()
	if number == c.hang {
		c.hangs()
		<-ctx.Done()
		return change.Done{}, ctx.Err()
	}
	if step.Place.Component == path.Kubelet {
		return change.Done{}, errors.Join(c.down(), c.fail[number])
	}
	return change.Done{Downtime: time.Second}, c.fail[number]
}

func (c *fakeCluster) Logs(context.Context, string, string) error { c.logs++; return nil }

// fakeTestbed runs no parts, but records them.
type fakeTestbed struct {
	world *world
	id    string
}

func (b fakeTestbed) note(what string) *harness.Failure {
	b.world.mutex.Lock()
	defer b.world.mutex.Unlock()
	b.world.pieces = append(b.world.pieces, b.id+" "+what)
	return nil
}

func (b fakeTestbed) Begin(context.Context) *harness.Failure { return b.note("begin") }
func (b fakeTestbed) Resume(_ context.Context, namespace string) *harness.Failure {
	_ = b.note("resume in " + namespace)
	if b.world.lost == b.id {
		return &harness.Failure{Text: "namespace " + namespace + " not found"}
	}
	return nil
}
func (b fakeTestbed) End(context.Context) error { b.note("end"); return nil }
func (b fakeTestbed) Namespace() string         { return "ns-" + b.id }
func (b fakeTestbed) KnownIssue() (status spec.Status, text, evidence string) {
	return spec.Known, b.world.knownIssue, ""
}

// Run calls the part without a T, which the parts here do not use.
func (b fakeTestbed) Run(_ context.Context, _ time.Duration, do func(*harness.T)) (failure *harness.Failure) {
	defer func() {
		if text, ok := recover().(string); ok {
			failure = &harness.Failure{Text: text}
		}
	}()
	do(nil)
	return nil
}

// world is the environment of a test run.
type world struct {
	t       *testing.T
	cluster *fakeCluster
	options Options
	cases   []cases.Case
	stop    chan struct{}

	requirements []spec.Requirement

	knownIssue string // observed by each part

	finding  *spec.Finding   // of the monitors
	progress []spec.Progress // passed to the monitors

	lost string // the case whose namespace is gone

	mutex  sync.Mutex
	pieces []string
}

func newWorld(t *testing.T) *world {
	w := &world{t: t, cluster: &fakeCluster{fail: map[int]error{}}, stop: make(chan struct{})}
	w.options = Options{
		Request: path.Request{From: path.Version{Minor: 36}, To: path.Version{Minor: 37}, Known: []path.Version{{Minor: 36}, {Minor: 37}}, Back: true},
		Config:  testbed.Config{ReportDir: t.TempDir()}, Stop: w.stop,
	}.withDefaults()
	w.cases = []cases.Case{w.fakeCase("upgrade/a"), w.fakeCase("upgrade/b")}
	return w
}

// fakeCase counts its pieces in its notes.
func (w *world) fakeCase(id string) cases.Case {
	note := func(what string, n *cases.Notes) {
		n.Round++
		w.mutex.Lock()
		defer w.mutex.Unlock()
		w.pieces = append(w.pieces, fmt.Sprintf("%s %s %d", id, what, n.Round))
	}
	return cases.Case{
		Meta:     spec.Meta{ID: id, Checks: "It holds.", Requires: []spec.RequirementID{"kep-1/x"}},
		Before:   func(_ *harness.T, n *cases.Notes) { note("before", n) },
		After:    func(_ *harness.T, n *cases.Notes, _ path.Step) { note("after", n) },
		Anew:     func(_ *harness.T, n *cases.Notes, _ path.Step) { note("anew", n) },
		Restored: func(_ *harness.T, n *cases.Notes) { note("restored", n) },
		Gone:     func(_ *harness.T, n *cases.Notes) { note("gone", n) },
	}
}

// run takes the path, or goes on with it.
func (w *world) run(resume bool) (Record, error) {
	w.t.Helper()
	o := w.options
	o.Resume = resume
	stepping, cancel := o.stepping(w.t.Context())
	defer cancel()
	r := &run{
		options: o, changer: w.cluster, began: time.Now(),
		live:  func(m spec.Meta) caseTestbed { return fakeTestbed{w, m.ID} },
		parts: Parts{Cases: w.cases, Requirements: w.requirements, Clusters: w.cluster},
		testbed: &testbed.Testbed{
			Progress: progress.New(nil), Client: fake.NewClientset(),
			Target: spec.Target{Nodes: []spec.Node{{Name: "w", OS: "linux", Schedulable: true}}},
		},
	}
	w.cluster.down = func() error { return r.down() }
	if err := r.Clean(); err != nil {
		w.t.Fatal(err)
	}
	if w.finding != nil {
		r.monitoring.found(*w.finding)
	}
	err := r.all(w.t.Context(), stepping)
	if err := r.write(w.t.Context(), r.finish(err)); err != nil {
		w.t.Fatal(err)
	}
	w.progress = r.monitoring.news()
	if why := w.reasons(); why != "" {
		w.t.Errorf("the report does not hold: %s", why)
	}
	return r.record, err
}

// resumed goes on with the run in a directory.
func resumed(dir string, v DriverUnderTest) *run {
	return &run{options: Options{Resume: true, Config: testbed.Config{ReportDir: dir, Out: io.Discard}}, parts: Parts{DriverUnderTest: v}}
}

func (w *world) of(id string) []string {
	var own []string
	for _, p := range w.pieces {
		if what, ok := strings.CutPrefix(p, id+" "); ok {
			own = append(own, what)
		}
	}
	return own
}
