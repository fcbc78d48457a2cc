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
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/reports/schema"
	"github.com/dra-conformance/dratest/upgrade/cases"
	"github.com/dra-conformance/dratest/upgrade/path"
)

// outside is a cluster upgraded by another tool.
type outside struct {
	*world

	version string
	nodes   map[string]string // UIDs by name
	left    error             // of the clean-up
	served  []string          // API versions

	target spec.Target // of the last stage's parts
}

func newOutside(t *testing.T) *outside {
	return &outside{world: newWorld(t), version: "v1.36.4", nodes: map[string]string{"w": "1"}}
}

func (o *outside) stage(stage Stage) *externalRun {
	options := o.options
	options.Request, options.Out = path.Request{}, io.Discard
	return &externalRun{
		run: run{
			parts: Parts{Cases: o.cases}, options: options,
			live: func(m spec.Meta) caseTestbed { return fakeTestbed{o.world, m.ID} },
		},
		stage: stage, uninstall: func(context.Context) error { return o.left },
	}
}

// do runs a stage in a process of its own.
func (o *outside) do(stage Stage) Record {
	o.t.Helper()
	o.pieces = nil
	e := o.stage(stage)
	client := fake.NewClientset()
	for name, uid := range o.nodes {
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(uid)}}
		if err := client.Tracker().Add(node); err != nil {
			o.t.Fatal(err)
		}
	}
	e.testbed = &testbed.Testbed{Progress: progress.New(nil), Client: client, Target: spec.Target{
		Server: "https://c", Kubernetes: o.version, ResourceAPIs: o.served, Nodes: []spec.Node{{Name: "w", OS: "linux", Schedulable: true}},
		Running: []spec.Component{{Name: spec.Kubelet, Program: "kubelet", Node: "w", Version: o.version}},
	}}
	if err := e.Clean(); err != nil {
		o.t.Fatal(err)
	}
	record, err := e.Do(o.t.Context())
	if err != nil {
		o.t.Fatal(err)
	}
	o.target = e.env.Plan.Target
	if why := o.reasons(); why != "" {
		o.t.Errorf("the report of %s does not hold: %s", stage, why)
	}
	return record
}

func (o *outside) expect(want ...string) {
	o.t.Helper()
	if got := o.of("upgrade/a"); !slices.Equal(got, want) {
		o.t.Errorf("pieces %v, want %v", got, want)
	}
}

func TestUpgradeByOthers(t *testing.T) {
	o := newOutside(t)
	if r := o.do(StageBegin); !r.Open() || r.Verdict != schema.Incomplete || !r.External.Begun {
		t.Fatalf("%s %v %+v", r.Verdict, r.Problems, r.External)
	}
	o.expect("begin", "before 1")
	o.version = "v1.37.1"
	if r := o.do(StageCheck); !r.Open() || r.Steps[0].String() != "kube-apiserver: v1.36.4 to v1.37.1, kubelet on w: v1.36.4 to v1.37.1" {
		t.Errorf("%s %v %s", r.Verdict, r.Problems, r.Steps[0])
	}
	o.expect("resume in ns-upgrade/a", "after 2", "anew 3")
	o.version, o.nodes = "v1.36.4", map[string]string{"w": "2", "x": "1"}
	if r := o.do(StageCheck); !strings.HasSuffix(r.Steps[1].String(), "node w was replaced, node x is new") {
		t.Errorf("%s", r.Steps[1])
	}
	o.nodes = map[string]string{"w": "1"}
	r := o.do(StageEnd)
	if r.Verdict != schema.Passed || !r.over() || r.Open() || r.External.Last["kubelet on w"] != "v1.36.4" {
		t.Errorf("%s %v %+v", r.Verdict, r.Problems, r.External)
	}
	o.expect("resume in ns-upgrade/a", "after 6", "anew 7", "restored 8", "gone 9", "end")
	md, err := os.ReadFile(filepath.Join(o.options.ReportDir, TableFile))
	for _, want := range []string{"# Upgrade of https://c by another tool", "| 1 | kube-apiserver: v1.36.4 to v1.37.1, kubelet", "Downtimes are unknown before check 1, 2, 3"} {
		if err != nil || !strings.Contains(string(md), want) {
			t.Errorf("%v, no %q in:\n%s", err, want, md)
		}
	}
}

func TestLossDuringAnUpgradeByOthers(t *testing.T) {
	for name, plant := range map[string]func(o *outside){
		"of a pod": func(o *outside) {
			o.cases[0].After = func(*harness.T, *cases.Notes, path.Step) { panic("pod is gone") }
		},
		"of a namespace": func(o *outside) { o.lost = "upgrade/a" },
	} {
		o := newOutside(t)
		o.do(StageBegin)
		plant(o)
		if r := o.do(StageCheck); r.Verdict != schema.Failed || !r.Open() || r.Cases[0].Status != spec.Failed || r.Cases[1].Status != "" {
			t.Errorf("%s: %s %+v", name, r.Verdict, r.Cases)
		}
		if r := o.do(StageEnd); r.Verdict != schema.Failed || !r.over() || r.Cases[1].Status != spec.Passed {
			t.Errorf("%s: %s at the end: %+v", name, r.Verdict, r.Cases)
		}
	}
}

// The cases took the API versions served after each step: nobody missed one that the upgrade had switched off.
func TestAPIVersionsMustStayServed(t *testing.T) {
	o := newOutside(t)
	o.served = []string{"v1", "v1beta2"}
	o.do(StageBegin)
	o.version, o.served = "v1.37.1", []string{"v1"}
	o.do(StageCheck)
	if got := o.target; got.Kubernetes != "v1.37.1" || !slices.Contains(got.ResourceAPIs, "v1beta2") {
		t.Errorf("%s with %v", got.Kubernetes, got.ResourceAPIs)
	}
}

func TestInterruptedStages(t *testing.T) {
	o := newOutside(t)
	interrupt := func() {
		o.stop = make(chan struct{})
		close(o.stop)
		o.options.Stop = o.stop
	}
	interrupt()
	if r := o.do(StageBegin); r.Open() || r.External.Begun {
		t.Errorf("%v", r.Problems)
	}
	if err := o.stage(StageCheck).Clean(); err == nil || !strings.Contains(err.Error(), "begin\" was interrupted") {
		t.Errorf("a check: %v", err)
	}
	o.options.Stop = nil
	o.do(StageBegin)
	o.expect("begin", "before 1")
	interrupt()
	if r := o.do(StageCheck); r.Open() || len(r.Steps) != 1 {
		t.Errorf("%v, steps %v", r.Problems, r.Steps)
	}
	o.options.Stop = nil
	if r := o.do(StageCheck); !r.Open() || len(r.Steps) != 1 {
		t.Errorf("%v, steps %v", r.Problems, r.Steps)
	}
	o.expect("resume in ns-upgrade/a", "after 2", "anew 3")
}

// The image of the agents was not found, and begin succeeded with another one. Then check took the first one again.
func TestBeginAgainWithOtherOptions(t *testing.T) {
	o := newOutside(t)
	first, again := o.stage(StageBegin), o.stage(StageBegin)
	first.begin, again.begin = ExternalOptions{AgentImage: "missing"}, ExternalOptions{AgentImage: "found", Drain: true}
	if err := first.Clean(); err != nil {
		t.Fatal(err)
	}
	if err := first.record.save(o.options.ReportDir); err != nil {
		t.Fatal(err)
	}
	if err := again.Clean(); err != nil {
		t.Fatal(err)
	}
	end := o.stage(StageEnd)
	if err := end.Clean(); err != nil || !end.onlyRemoves() { // it waited for the missing image, too
		t.Errorf("end needs the test driver; %v", err)
	}
	if x := again.record.External; x.AgentImage != "found" || !x.Drain || x.ID != first.record.External.ID {
		t.Errorf("%+v", x)
	}
}

// An upgrade is over when the cluster is clean: "dratest upgrade end" can be repeated, and does no part twice.
func TestEndCleansUpUntilAllIsGone(t *testing.T) {
	o := newOutside(t)
	o.do(StageBegin)
	o.left = errors.New("the namespace stays")
	if r := o.do(StageEnd); r.over() || r.Verdict != schema.Incomplete || !strings.Contains(r.Problems[0], "the namespace stays: run") {
		t.Errorf("%s %v", r.Verdict, r.Problems)
	}
	o.left, o.lost = nil, "upgrade/a"
	if r := o.do(StageEnd); !r.over() || r.Verdict != schema.Passed || len(r.Steps) != 1 {
		t.Errorf("%s %v %v", r.Verdict, r.Problems, r.Steps)
	}
	o.expect("resume in ns-upgrade/a", "end")
}

// A process killed during the clean-up of the cases leaves some with their objects, and others without: the next one
// looked for the pods of the latter, and failed them.
func TestEndKilledHalfway(t *testing.T) {
	o := newOutside(t)
	o.do(StageBegin)
	o.left = errors.New("the namespace stays")
	r := o.do(StageEnd)
	r.Cases[1].Pieces = slices.DeleteFunc(r.Cases[1].Pieces, func(p Piece) bool { return p.Phase == Gone })
	if err := r.save(o.options.ReportDir); err != nil {
		t.Fatal(err)
	}
	o.left = nil
	if r := o.do(StageEnd); !r.over() || r.Verdict != schema.Passed {
		t.Errorf("%s %v", r.Verdict, r.Problems)
	}
	o.expect("resume in ns-upgrade/a", "end")
	if got, want := o.of("upgrade/b"), []string{"resume in ns-upgrade/b", "after 5", "anew 6", "gone 7", "end"}; !slices.Equal(got, want) {
		t.Errorf("pieces %v, want %v", got, want)
	}
}

func TestStagesInTheWrongOrder(t *testing.T) {
	o := newOutside(t)
	refused := func(e testbed.Engine[Record], want string) {
		t.Helper()
		if err := e.Clean(); !errors.As(err, new(clusters.UsageError)) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
	refused(o.stage(StageCheck), "no upgrade has begun in")
	refused(o.stage(StageEnd), "no upgrade has begun in")
	r := o.do(StageBegin)
	refused(o.stage(StageBegin), "an upgrade has begun in")
	refused(&run{options: o.options}, "an upgrade has begun in")
	r.External.Suite.Version = "v0.1.0"
	if err := r.save(o.options.ReportDir); err != nil {
		t.Fatal(err)
	}
	refused(o.stage(StageEnd), "begun by dratest v0.1.0")
	r.SchemaVersion = "1"
	if err := r.save(o.options.ReportDir); err != nil {
		t.Fatal(err)
	}
	refused(o.stage(StageBegin), "schema version")
	if err := os.Truncate(filepath.Join(o.options.ReportDir, RecordFile), 10); err != nil {
		t.Fatal(err)
	}
	refused(o.stage(StageCheck), RecordFile+" is damaged")
}

func TestCasesNotByOthers(t *testing.T) {
	o := newOutside(t)
	o.cases[0].Switches = spec.ExtendedResource
	o.cases[1].Etcd = true
	r := o.do(StageBegin)
	for _, c := range r.Cases {
		if c.Skip == nil || c.Skip.Code != spec.SkipPath {
			t.Errorf("%+v", c)
		}
	}
	if skip := notByOthers(cases.Drained, true); skip != nil {
		t.Errorf("%+v", skip)
	}
	if skip := notByOthers(cases.KeepsRunning, true); skip == nil {
		t.Error("pods are expected to survive a drain")
	}
}
