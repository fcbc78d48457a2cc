package upgrades

import (
	"context"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/prove"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
	"github.com/dra-conformance/dratest/upgrade/cases"
	"github.com/dra-conformance/dratest/upgrade/path"
	"github.com/dra-conformance/dratest/upgrade/run"
)

func TestBreakagesAreInTheOrderOfTheirSteps(t *testing.T) {
	var o run.Options
	o.Cluster.Name = "c"
	var err error
	if o.Request, err = request("1.36", "1.37"); err != nil {
		t.Fatal(err)
	}
	way, err := run.Plan(o)
	if err != nil {
		t.Fatal(err)
	}
	last := 1 // a breakage needs a step before its own
	for i, b := range breakages {
		number, err := stepAt(run.Steps(way), b.at, "c")
		if err != nil || number <= last {
			t.Errorf("%s is at step %d, after %d: %v", b.ID, number, last, err)
		}
		last = number
		if b.must != "" && !slices.ContainsFunc(cases.All(), func(c cases.Case) bool { return c.ID == b.must }) {
			t.Errorf("%s: there is no case %s", b.ID, b.must)
		}
		if b.must == "" && i < len(breakages)-1 {
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
	noticed := breakage{Trial: prove.Trial{Must: must}, must: id, phase: run.After}
	piece := func(phase run.Phase, step int, s spec.Status) run.Piece {
		return run.Piece{Phase: phase, Step: step, Status: s, Failure: "why"}
	}
	for _, row := range []struct {
		name   string
		pieces []run.Piece
		want   prove.Finding
	}{
		{"after its step", []run.Piece{piece(run.After, 1, spec.Passed), piece(run.After, 2, spec.Failed)}, prove.Finding{Shown: true, By: must, Note: "why"}},
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
	b := breakage{Trial: prove.Trial{Must: []string{"the step"}}}
	failed := run.Record{Steps: []run.Step{{Done: true}, {Problem: "does not start"}}}
	if got := judge(b, failed, 2); !got.Shown || got.Note != "does not start" {
		t.Errorf("got %+v", got)
	}
	if got := judge(b, failed, 1); got.Shown || len(got.Missed) != 1 {
		t.Errorf("got %+v", got)
	}
}

// machine notes what is run on it.
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
	g := ground{client: fake.NewClientset()}
	for _, name := range []string{"c-control-plane", "c-worker", "c-worker2"} {
		g.machines = append(g.machines, machine{name: name, ran: &ran})
	}
	for _, b := range breakages {
		for range 2 { // one that was killed meanwhile is broken again
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
		if err := mendScheduler(t.Context(), g); err != nil {
			t.Error(err)
		}
	}
	if _, err := policies.Get(t.Context(), forgetful, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("the policy is still there: %v", err)
	}
}

func TestCyclesOfGates(t *testing.T) {
	proof := GatesProof("1.36")
	if len(proof.Trials) != 2*len(switchable()) || proof.Trials[0].ID != "DRAExtendedResource-on-off-on" || proof.Trials[1].ID != "DRAExtendedResource-off-on-off" {
		t.Errorf("got %v", proof.Trials)
	}
}

func TestWhatAVersionDoesNotAllowIsNoFailure(t *testing.T) {
	found, err := refused(&path.RefusalError{Rule: path.GateLocked, Text: "it is locked"})
	if err != nil || !found.Shown || found.Note != "refused: it is locked (rule gate-locked)" {
		t.Errorf("got %+v, %v", found, err)
	}
	for _, err := range []error{&path.RefusalError{Rule: path.NotNewer}, errors.New("oops")} {
		if _, got := refused(err); got == nil {
			t.Errorf("%v is no error", err)
		}
	}
}

func TestWhatSwitchingAGateCameTo(t *testing.T) {
	bad := []run.Case{{ID: "upgrade/a", Status: spec.Failed}, {ID: "upgrade/b", Status: spec.Passed}}
	for _, row := range []struct {
		name   string
		record run.Record
		err    error
		want   prove.Finding
	}{
		{"passed", run.Record{Verdict: schema.Passed}, nil, prove.Finding{Shown: true}},
		{"failed", run.Record{Verdict: schema.Failed, Cases: bad}, nil, prove.Finding{Missed: []string{"upgrade/a"}}},
		{"a step failed", run.Record{Verdict: schema.Failed, Problems: []string{"a step could not be done"}}, nil, prove.Finding{Note: "a step could not be done"}},
		{"nothing ran", run.Record{Verdict: schema.NothingRan}, nil, prove.Finding{}},
		{"incomplete", run.Record{Verdict: schema.Incomplete}, nil, prove.Finding{Problem: "the upgrade is incomplete"}},
		{"no cluster", run.Record{}, errors.New("no room"), prove.Finding{Problem: "no room"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			if diff := cmp.Diff(row.want, switched(row.record, row.err)); diff != "" {
				t.Errorf("want -, got +:\n%s", diff)
			}
		})
	}
}

func TestGatesTable(t *testing.T) {
	read := func(evidence string) (run.Record, error) {
		if evidence != "DRAExtendedResource-on-off-on" {
			return run.Record{}, errors.New("there is none")
		}
		return run.Record{Verdict: schema.Failed, Steps: []run.Step{{Done: true}, {}}, Cases: []run.Case{
			{ID: "upgrade/a", Status: spec.Passed}, {ID: "upgrade/b", Status: spec.Passed}, {ID: "upgrade/c", Status: spec.NotApplicable},
			{ID: "upgrade/d", Status: "KnownSomething"}, {ID: "upgrade/e", Status: spec.Failed}, {ID: "upgrade/f"},
		}}, nil
	}
	result := func(id string, f prove.Finding) prove.Result {
		f.Evidence = id
		return prove.Result{ID: id, Finding: f}
	}
	got := string(GatesTable("1.36", prove.Record{Results: []prove.Result{
		result("DRADeviceTaints-on-off-on", prove.Finding{Shown: true, Note: "refused: it is locked (rule gate-locked)"}),
		result("DRAExtendedResource-off-on-off", prove.Finding{Problem: "no\nroom"}),
		result("DRAExtendedResource-on-off-on", prove.Finding{}),
	}}, read))
	want := `# Feature gates of Kubernetes 1.36, switched

| gate | cycle | result | steps | passed | not applicable | known issues | failed |
|---|---|---|---|---|---|---|---|
| DRAExtendedResource | on → off → on | Failed | 1/2 | 2 | 1 | d | e |
| DRAExtendedResource | off → on → off | no verdict: no room | | | | | |
| DRADeviceTaints | on → off → on | refused: it is locked (rule gate-locked) | | | | | |
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
}

func TestCordon(t *testing.T) {
	client := fake.NewClientset(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}})
	for _, away := range []bool{true, false, false} {
		if err := cordon(t.Context(), client, "n", away); err != nil {
			t.Fatal(err)
		}
		node, err := client.CoreV1().Nodes().Get(t.Context(), "n", metav1.GetOptions{})
		if err != nil || node.Spec.Unschedulable != away {
			t.Errorf("unschedulable is %t, want %t: %v", node.Spec.Unschedulable, away, err)
		}
	}
	if err := cordon(t.Context(), client, "gone", true); err == nil {
		t.Error("no error for a node that is not there")
	}
}

func TestCellOfTheSkew(t *testing.T) {
	report := schema.Report{Summary: schema.Summary{Verdict: schema.Failed, Failed: 1}, Cases: []schema.Case{{ID: "a", Status: spec.Failed}, {ID: "b", Status: spec.Passed}}}
	if got := cell(report); got.Shown || !slices.Equal(got.Missed, []string{"a"}) || got.Problem != "" {
		t.Errorf("got %+v", got)
	}
	report.Summary.Verdict = schema.Incomplete
	if got := cell(report); got.Shown || got.Problem == "" {
		t.Errorf("got %+v", got)
	}
	if got := cell(schema.Report{Summary: schema.Summary{Verdict: schema.Passed}}); !got.Shown {
		t.Errorf("got %+v", got)
	}
	if p := SkewProof(); len(p.Trials) != 4 || p.Trials[3].ID != together {
		t.Errorf("got %v", p.Trials)
	}
}
