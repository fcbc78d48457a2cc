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

package upgrades

import (
	"context"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/prove"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/upgrade/cases"
	"github.com/dra-conformance/dratest/upgrade/path"
	"github.com/dra-conformance/dratest/upgrade/run"
)

func TestBreakagesAreInTheOrderOfTheirSteps(t *testing.T) {
	var o run.Options
	o.Cluster.Name = "c"
	var err error
	if o.Request, err = run.Between("1.36", "1.37"); err != nil {
		t.Fatal(err)
	}
	way, err := run.Plan(o)
	if err != nil {
		t.Fatal(err)
	}
	last := 1 // a fault needs a step before its own
	for i, b := range faults {
		number, err := stepAt(run.Steps(way), b.at, "c")
		if err != nil || number <= last {
			t.Errorf("%s is at step %d, after %d: %v", b.ID, number, last, err)
		}
		last = number
		if b.must != "" && !slices.ContainsFunc(cases.All(), func(c cases.Case) bool { return c.ID == b.must }) {
			t.Errorf("%s: there is no case %s", b.ID, b.must)
		}
		if b.must == "" && i < len(faults)-1 {
			t.Errorf("%s: nothing can come after a step that fails", b.ID)
		}
	}
	if _, err := stepAt(run.Steps(way), path.Place{Component: path.Kubelet, Node: "worker9"}, "c"); err == nil {
		t.Error("no error for a node that is not there")
	}
}

func TestJudgeBreakage(t *testing.T) {
	const id = "upgrade/a"
	must := []string{id}
	noticed := fault{must: id, phase: run.After}
	piece := func(phase run.Phase, step int, s spec.Status) run.Piece {
		return run.Piece{Phase: phase, Step: step, Status: s, Failure: "why"}
	}
	for _, row := range []struct {
		name   string
		pieces []run.Piece
		want   prove.Finding
	}{
		{"after its step", []run.Piece{piece(run.After, 1, spec.Passed), piece(run.After, 2, spec.Failed)}, prove.Finding{Detected: true, By: must, Note: "why"}},
		{"not", []run.Piece{piece(run.After, 1, spec.Passed), piece(run.After, 2, spec.Passed)}, prove.Finding{Missed: must}},
		{"before", []run.Piece{piece(run.After, 1, spec.Failed)}, prove.Finding{Missed: must, Note: "it came to Failed after step 1 already: why"}},
		{"another piece", []run.Piece{piece(run.Anew, 2, spec.Failed)}, prove.Finding{Missed: must, Note: "it came to Failed anew step 2 already: why"}},
		{"blocked", []run.Piece{piece(run.After, 2, spec.Blocked)}, prove.Finding{Missed: must, Note: "it came to Blocked after step 2 already: why"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := run.Record{Cases: []run.Case{{ID: "upgrade/other"}, {ID: id, Pieces: row.pieces}}}
			if diff := cmp.Diff(row.want, judge(noticed, r, 2)); diff != "" {
				t.Errorf("want -, got +:\n%s", diff)
			}
		})
	}
}

func TestJudgeAStepThatMustFail(t *testing.T) {
	b := fault{at: path.Place{Component: path.Kubelet}}
	failed := run.Record{Steps: []run.Step{{Done: true}, {Problem: "does not start"}}}
	if got := judge(b, failed, 2); !got.Detected || got.Note != "does not start" {
		t.Errorf("got %+v", got)
	}
	if got := judge(b, failed, 1); got.Detected || len(got.Missed) != 1 {
		t.Errorf("got %+v", got)
	}
}

type machine struct {
	clusters.Machine
	name string
	ran  *[]string
}

func (m machine) String() string { return m.name }

func (m machine) Run(_ context.Context, input io.Reader, args ...string) (string, error) {
	text := ""
	if input != nil {
		data, _ := io.ReadAll(input)
		text = string(data)
	}
	*m.ran = append(*m.ran, m.name+": "+strings.Join(args, " ")+" <"+text)
	return "", nil
}

func TestBreaking(t *testing.T) {
	var ran []string
	g := environment{client: fake.NewClientset()}
	for _, name := range []string{"c-control-plane", "c-worker", "c-worker2"} {
		g.machines = append(g.machines, machine{name: name, ran: &ran})
	}
	for _, b := range faults {
		for range 2 { // a killed one is repeated
			if err := b.do(t.Context(), g); err != nil {
				t.Errorf("%s: %v", b.ID, err)
			}
		}
	}
	for i, want := range []string{
		`^c-worker2: sh -c rm -f /var/run/cdi/\*driver-rolling\* <$`,
		`^c-worker: sh -c cat >/etc/systemd/.*/90-broken.conf && systemctl daemon-reload <\[Service\]\nExecStartPre=/bin/mv /var/lib/kubelet/dra_manager_state /var/.*\n$`,
		`^c-worker2: sh -c cat >.* <\[Service\]\nExecStartPre=/bin/false\n$`,
	} {
		if got := ran[2*i]; !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("got %q, want %s", got, want)
		}
	}
	policies := g.client.AdmissionregistrationV1().MutatingAdmissionPolicies()
	policy, err := policies.Get(t.Context(), forgetful, metav1.GetOptions{})
	if err != nil || !strings.Contains(policy.Spec.Mutations[0].JSONPatch.Expression, "escapeKey('resource.kubernetes.io/extended-resource-claim')") {
		t.Errorf("got %v, %v", policy, err)
	}
	for range 2 {
		if err := restoreAnnotation(t.Context(), g); err != nil {
			t.Error(err)
		}
	}
	if _, err := policies.Get(t.Context(), forgetful, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("the policy is still there: %v", err)
	}
}
