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

package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/dra-conformance/dratest/drivers/declarations"
	"github.com/dra-conformance/dratest/drivers/sim/mutants"
	"github.com/dra-conformance/dratest/framework/certify"
	"github.com/dra-conformance/dratest/framework/plan"
	"github.com/dra-conformance/dratest/framework/prove"
	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/reports/schema"
)

// Name is the proof's.
const Name = "life"

// WithCases are the bugs with life cases.
func WithCases() []mutants.Mutant {
	return slices.DeleteFunc(mutants.All(), func(m mutants.Mutant) bool { return len(m.Cases) == 0 })
}

// Proof has a trial for each bug of WithCases.
func Proof() prove.Proof {
	p := prove.Proof{Name: Name, Keyword: "detected"}
	for _, m := range WithCases() {
		p.Trials = append(p.Trials, prove.TrialOf(m.Defect, m.Cases...))
	}
	return p
}

// Prover certifies dra-sim with each bug, and without it.
type Prover struct {
	Parts run.Parts
	// Config has the cluster to create.
	Config testbed.Config
	// Declaration is dra-sim's.
	Declaration declarations.Declaration
	// Install installs dra-sim in a cluster of this name; no bug is "".
	Install func(ctx context.Context, cluster, mutant string) error

	bed *testbed.Testbed
	// dirty: a bug has left something irremovable in the cluster.
	dirty bool
}

var _ prove.Prover = (*Prover)(nil)

// caseLimit is shorter than the cases' timeout: a mutant that has not acted by then never will. Cases waiting for
// Kubernetes get three times as much.
const caseLimit = time.Minute

// Open makes the cluster.
func (p *Prover) Open(ctx context.Context, _ bool) (err error) {
	p.bed, err = testbed.Open(ctx, p.Parts.Parts, p.Config)
	return err
}

// Close removes it.
func (p *Prover) Close(ctx context.Context, _ bool) error {
	return p.bed.Close(ctx, nil)
}

// Try runs the cases of a bug without it first, then with it, since the bug may leave something on nodes.
func (p *Prover) Try(ctx context.Context, t prove.Trial, dir string) (prove.Finding, error) {
	if p.dirty {
		_, _ = fmt.Fprintln(p.Config.Out, "  -- the bug before has left in the cluster what nobody can remove: a new one is made")
		if err := errors.Join(p.Close(ctx, true), p.Open(ctx, false)); err != nil {
			return prove.Finding{}, err
		}
		p.dirty = false
	}
	without, err := p.certify(ctx, "", t.Must, filepath.Join(dir, "without"))
	if err != nil {
		return prove.Finding{}, err
	}
	with, err := p.certify(ctx, t.ID, t.Must, filepath.Join(dir, "with"))
	if err != nil {
		return prove.Finding{}, err
	}
	return judge(t.Must, with, without), nil
}

// certify runs some cases on dra-sim with a bug.
func (p *Prover) certify(ctx context.Context, mutant string, cases []string, dir string) (c schema.Certificate, err error) {
	if err := p.Install(ctx, p.bed.Cluster, mutant); err != nil {
		return c, fmt.Errorf("install the driver with bug %q: %w", mutant, err)
	}
	var focus []string
	for _, id := range cases {
		focus = append(focus, "^"+regexp.QuoteMeta(id)+`\b`)
	}
	c, err = certify.Run(ctx, p.Parts, certify.Options{Declaration: p.Declaration, Cluster: p.bed.Cluster, Removable: true, Run: run.Options{
		Config:     testbed.Config{Kubeconfig: p.bed.Kubeconfig, ReportDir: dir, PodImage: p.Config.PodImage, Out: p.Config.Out},
		Disruptive: true, Filter: plan.Filter{Focus: focus}, Parallel: 1, CaseLimit: caseLimit,
	}})
	p.dirty = leavesBehind(mutant, err)
	if err != nil && !errors.Is(err, certify.ErrDriver) && !p.dirty {
		return c, err
	}
	return c, nil
}

// leavesBehind reports whether a run completed apart from a bug's leftovers.
func leavesBehind(mutant string, err error) bool {
	return mutant != "" && errors.Is(err, testbed.ErrLeft)
}

// judge reports whether each of the cases has detected the bug, and nothing else.
func judge(cases []string, with, without schema.Certificate) prove.Finding {
	f := prove.Finding{Note: strings.Join(with.Failures, "; ")}
	for _, id := range cases {
		switch {
		case without.Cases[id] != string(spec.Passed):
			f.Problem = fmt.Sprintf("a driver without the bug does not pass %s: %q: %s", id, without.Cases[id], strings.Join(slices.Concat(without.Failures, without.Missing), "; "))
			return f
		case with.Cases[id] == string(spec.Failed):
			f.By = append(f.By, id)
		default:
			f.Missed = append(f.Missed, id)
		}
	}
	f.Detected = len(f.Missed) == 0
	return f
}
