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

package access

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/plan"
	"github.com/dra-conformance/dratest/framework/prove"
	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/framework/testbed/access"
	"github.com/dra-conformance/dratest/reports/schema"
)

const (
	// enough is the trial for the complete role without missing or unused rights.
	enough = "role"
	// certification starts the trials with the role of a certification.
	certification = "certify."
)

// Proof has a trial without each right of the roles of runs and certifications and, if nodes run pods, one for the
// whole role of a run.
func Proof(nodes bool) prove.Proof {
	p := prove.Proof{Name: "access", Keyword: "detected"}
	if nodes {
		p.Trials = []prove.Trial{{ID: enough, What: "run all cases with the printed role: they pass, and take all of it"}}
	}
	for _, right := range access.Of(access.Rules(true)) {
		p.Trials = append(p.Trials, prove.Trial{ID: folder(right), What: "run without the right to " + right.String(), Must: []string{right.String()}})
	}
	for _, right := range access.Of(access.Certifying()) {
		p.Trials = append(p.Trials, prove.Trial{ID: certification + folder(right), What: "certify without the right to " + right.String(), Must: []string{right.String()}})
	}
	return p
}

func folder(r access.Right) string {
	return strings.NewReplacer(" --subresource=", ".", " /", "-", " ", "-", "/", ".", ":", ".").Replace(r.String())
}

// Prover does the trials on one cluster.
type Prover struct {
	Parts run.Parts
	// Options configure the runs. Filter and report directory are set per trial.
	Options run.Options

	bed     *testbed.Testbed
	account *account
	dir     string
}

var _ prove.Prover = (*Prover)(nil)

// Open creates the cluster and the account.
func (p *Prover) Open(ctx context.Context, _ bool) (err error) {
	o := p.Options
	if p.bed, err = testbed.Open(ctx, p.Parts.Parts, testbed.Config{Cluster: o.Cluster, Out: o.Out}); err != nil {
		return err
	}
	if p.dir, err = os.MkdirTemp("", "dratest-access-"); err != nil {
		return fmt.Errorf("make a directory for the kubeconfig: %w", err)
	}
	p.account, err = newAccount(ctx, p.bed.REST, p.bed.Client, p.dir)
	return err
}

// Close removes the cluster.
func (p *Prover) Close(ctx context.Context, _ bool) error {
	return errors.Join(p.account.close(), os.RemoveAll(p.dir), p.bed.Close(ctx, nil))
}

// Try does a trial.
func (p *Prover) Try(ctx context.Context, t prove.Trial, dir string) (prove.Finding, error) {
	o := p.Options
	o.Kubeconfig, o.Cluster, o.ReportDir, o.Disruptive = p.account.kubeconfig, clusters.Config{}, dir, true
	if t.ID == enough {
		return p.enough(ctx, o)
	}
	o.Filter = plan.Filter{Focus: []string{"^api/"}}
	parts, rules := p.Parts, p.account.role.Rules
	id, certify := strings.CutPrefix(t.ID, certification)
	if certify {
		parts.DriverUnderTest, rules = noDriver{}, access.Certifying()
	}
	rights := access.Of(rules)
	i := slices.IndexFunc(rights, func(r access.Right) bool { return folder(r) == id })
	if i < 0 {
		return prove.Finding{}, fmt.Errorf("the printed role does not give the right to %s", t.Must)
	}
	question := rights[i].Question()
	if err := p.account.give(ctx, access.Without(rules, rights[i]), question, false); err != nil {
		return prove.Finding{}, err
	}
	_, runErr := run.Run(ctx, parts, o)
	if err := p.account.give(ctx, p.account.role.Rules, question, true); err != nil {
		return prove.Finding{}, err
	}
	return named(rights[i], runErr), nil
}

// noDriver stands for a driver to certify: its run must end before it is looked for.
type noDriver struct{ run.DriverUnderTest }

// Find implements run.DriverUnderTest.
func (noDriver) Find(context.Context, *testbed.Testbed) (spec.DriverUnderTest, error) {
	return spec.DriverUnderTest{}, errors.New("the driver was looked for")
}

// named: the run must have named the missing right, and no other.
func named(right access.Right, err error) prove.Finding {
	var missing access.MissingError
	switch {
	case err == nil:
		return prove.Finding{Missed: []string{right.String()}, Note: "the run did not ask for it"}
	case !errors.As(err, &missing) || !slices.Equal(missing.Rights, []access.Right{right}):
		return prove.Finding{Missed: []string{right.String()}, Note: err.Error()}
	default:
		return prove.Finding{Detected: true, By: []string{right.String()}, Note: err.Error()}
	}
}

// enough runs all cases, and one with its objects kept.
func (p *Prover) enough(ctx context.Context, o run.Options) (prove.Finding, error) {
	report, err := run.Run(ctx, p.Parts, o)
	if err != nil {
		return prove.Finding{}, err
	}
	kept := o
	kept.Keep, kept.ReportDir, kept.Filter = true, o.ReportDir+"/kept", plan.Filter{Focus: []string{"^core/one-device"}}
	if _, err := run.Run(ctx, p.Parts, kept); err != nil {
		return prove.Finding{}, err
	}
	taken, err := p.account.recorder.Rights()
	if err != nil {
		return prove.Finding{Problem: "requests were not understood: " + err.Error()}, nil
	}
	return judge(report, taken, access.Of(p.account.role.Rules)), nil
}

// judge: the cases must have passed, and each right must have been used.
func judge(r schema.Report, taken map[access.Right]bool, given []access.Right) prove.Finding {
	f := prove.Finding{Note: fmt.Sprintf("%d cases passed, %d rights were taken", r.Summary.Passed, len(given))}
	for _, right := range given {
		if !taken[right] {
			f.Missed = append(f.Missed, "not taken: "+right.String())
		}
	}
	if r.Summary.Verdict != schema.Passed {
		f.Missed = append(f.Missed, "the run: "+string(r.Summary.Verdict))
	}
	f.Detected = len(f.Missed) == 0
	return f
}
