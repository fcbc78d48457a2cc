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

package mutants

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/dra-conformance/dratest/framework/plan"
	"github.com/dra-conformance/dratest/framework/prove"
	"github.com/dra-conformance/dratest/framework/prove/apiserver"
	"github.com/dra-conformance/dratest/framework/prove/components"
	"github.com/dra-conformance/dratest/framework/prove/detection"
	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/reports/schema"
)

// Set has all mutants, as a proof and as the data of those other than driver faults.
type Set struct {
	Proof      prove.Proof
	Components []components.Mutant
	API        []apiserver.Mutant
}

// Load reads all mutants. The proof has a trial for each mutant of the test driver, to be detected by all cases
// declaring it, and of this project's components and the API server, to be detected by one of the cases claiming a
// violated requirement. Each case should detect something, unless it has a reason (Meta.NoMutant).
func Load(metas []spec.Meta) (s Set, err error) {
	if s.Components, err = components.Load(); err != nil {
		return s, err
	}
	if s.API, err = apiserver.Load(); err != nil {
		return s, err
	}
	s.Proof, err = s.proof(metas)
	return s, err
}

// LoadStock returns the mutants of Kubernetes' own components as a proof: a case claiming a violated requirement must
// detect each.
func LoadStock(metas []spec.Meta) (s Set, err error) {
	s.Components, err = components.LoadStock()
	s.Proof = prove.Proof{Name: components.StockProof, Keyword: "detected"}
	for _, m := range s.Components {
		s.Proof.Trials = append(s.Proof.Trials, m.Trial(metas))
	}
	return s, err
}

func (s Set) proof(metas []spec.Meta) (prove.Proof, error) {
	p := prove.Proof{Name: "mutants", Keyword: "detected"}
	for _, m := range metas {
		if m.NoMutant == "" {
			p.Observers = append(p.Observers, m.ID)
		}
	}
	for _, m := range spec.Mutants() {
		t := prove.Trial{ID: m.ID, What: m.What, All: true}
		catch, err := plan.Select(metas, plan.Filter{Mutant: spec.MutantID(m.ID)})
		if err != nil {
			return p, err
		}
		for _, c := range catch {
			t.Must = append(t.Must, c.ID)
		}
		p.Trials = append(p.Trials, t)
	}
	for _, m := range s.Components {
		p.Trials = append(p.Trials, m.Trial(metas))
	}
	for i := range s.API {
		p.Trials = append(p.Trials, s.API[i].Trial(metas))
	}
	return p, nil
}

// Prover runs the cases for each mutant on one cluster.
type Prover struct {
	Parts run.Parts
	// Options configure the runs. Mutant and report directory are set per trial.
	Options run.Options
	// Set has all mutants; the cluster's components are built with theirs, if any are among the trials. Provider makes
	// the cluster.
	Set      Set
	Provider Provider

	bed  *testbed.Testbed
	ours *components.Prover
	apis *apiserver.Prover
	dir  string // for kubeconfigs
}

// Provider makes clusters, with access to their components.
type Provider interface {
	components.Provider
	apiserver.Provider
}

var _ prove.Prover = (*Prover)(nil)

// Open creates the cluster, replacing that of a killed process.
func (p *Prover) Open(ctx context.Context, _ bool) (err error) {
	o := p.Options
	p.bed, err = testbed.Open(ctx, p.Parts.Parts, o.Config)
	p.ours = &components.Prover{Cases: &detection.Cases{Parts: p.Parts, Options: o, Bed: p.bed}, Provider: p.Provider}
	if err != nil {
		return err
	}
	if p.dir, err = os.MkdirTemp("", "dratest-mutants-"); err != nil {
		return fmt.Errorf("make a directory for kubeconfigs: %w", err)
	}
	p.apis = &apiserver.Prover{Cases: &detection.Cases{Parts: p.Parts, Options: o, Bed: p.bed}, Provider: p.Provider, Dir: p.dir}
	return nil
}

// Close removes the cluster.
func (p *Prover) Close(ctx context.Context, _ bool) error {
	var errs []error
	if p.apis != nil {
		errs = append(errs, p.apis.Close(), os.RemoveAll(p.dir))
	}
	return errors.Join(append(errs, p.bed.Close(ctx, nil))...)
}

// Try runs the cases expected to detect a mutant.
func (p *Prover) Try(ctx context.Context, t prove.Trial, dir string) (prove.Finding, error) {
	for _, m := range p.Set.Components {
		if m.ID == t.ID {
			return p.ours.Try(ctx, m, t, dir)
		}
	}
	for i := range p.Set.API {
		if p.Set.API[i].ID == t.ID {
			return p.apis.Try(ctx, &p.Set.API[i], t, dir)
		}
	}
	return p.ofDriver(ctx, t, dir)
}

// ofDriver runs all cases declaring to catch a mutant of the test driver; each must detect it.
func (p *Prover) ofDriver(ctx context.Context, t prove.Trial, dir string) (prove.Finding, error) {
	if len(t.Must) == 0 {
		return prove.Finding{Note: "no case says that it catches this: let one do so (Meta.Catches)"}, nil
	}
	return p.ours.Cases.Try(ctx, t, dir, func(_ []string, dir string) (schema.Report, string, error) {
		with, err := p.ours.Cases.RunWith(ctx, spec.MutantID(t.ID), t.Must, dir)
		return with, "", err
	})
}
