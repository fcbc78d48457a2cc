package apiserver

import (
	"context"
	"errors"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/plan"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/reports/schema"
	"github.com/dra-conformance/dratest/suites/prove"
	"github.com/dra-conformance/dratest/suites/prove/components"
	"github.com/dra-conformance/dratest/suites/run"
)

const (
	// caseLimit is several times what any of the cases takes that are about the API, and
	// about components on a control plane of processes.
	caseLimit = 15 * time.Second
	// nodeLimit is that of cases with containers.
	nodeLimit = time.Minute
)

// Trial is a mutant as a trial of a proof: the cases that claim one of the requirements
// that it breaks may notice, and one of them must. Those that need a kubelet, which is not
// behind the proxy, are only for mutants that cases are told of and no other case could
// notice. Mutants of components are not for cases of the API alone.
func (m *Mutant) Trial(metas []spec.Meta) prove.Trial {
	t := prove.Trial{ID: m.ID, What: m.What}
	var onNodes []string
	for _, meta := range metas {
		if !slices.ContainsFunc(m.Requires, func(id spec.RequirementID) bool { return slices.Contains(meta.Requires, id) }) {
			continue
		}
		switch {
		case meta.Needs.NoKubelet, meta.Needs.NoNode && m.Of == "":
			t.Must = append(t.Must, meta.ID)
		case !meta.Needs.NoNode && m.Of == "":
			onNodes = append(onNodes, meta.ID)
		}
	}
	if len(t.Must) == 0 {
		t.Must = onNodes
	}
	return t
}

// limit is the time that each of some cases may take: at least what one of them says that
// it takes in the worst case.
func limit(metas []spec.Meta, cases []string) time.Duration {
	most := caseLimit
	for _, meta := range metas {
		if !slices.Contains(cases, meta.ID) {
			continue
		}
		if most = max(most, meta.Timeout); !meta.Needs.NoKubelet && !meta.Needs.NoNode {
			most = max(most, nodeLimit)
		}
	}
	return most
}

// Prover has the API server of one cluster seem to have bugs.
type Prover struct {
	Parts   run.Parts
	Options run.Options
	Bed     *testbed.Testbed
	// Provider has made the cluster.
	Provider Provider
	// Dir is for kubeconfigs, until Close.
	Dir string

	cases *Proxy
	plane *Plane
	// sound are the cases that did not fail when they last ran without any mutant.
	sound map[string]bool
}

// Close ends the proxies. What is behind them is of no use then.
func (p *Prover) Close() error {
	var errs []error
	if p.cases != nil {
		errs = append(errs, p.cases.Close())
	}
	if p.plane != nil {
		errs = append(errs, p.plane.Close())
	}
	return errors.Join(errs...)
}

// Try has the API server have a mutant while all cases run that may notice it. One that
// fails without it, too, has noticed nothing.
func (p *Prover) Try(ctx context.Context, m *Mutant, t prove.Trial, dir string) (prove.Finding, error) {
	if m.Of != "" && p.Bed.Provider != clusters.ProviderControlPlane {
		return prove.Finding{NotApplicable: true, Note: "only components that are processes can be behind a proxy: --provider controlplane"}, nil
	}
	if err := p.prepare(ctx); err != nil {
		return prove.Finding{}, err
	}
	with, faults, err := p.broken(ctx, m, t.Must, filepath.Join(dir, "with"))
	if err := errors.Join(err, components.Tidy(ctx, p.Bed.Client)); err != nil {
		return prove.Finding{}, err
	}
	if len(faults) > 0 {
		return prove.Finding{Problem: "the proxy itself failed: mend the mutant: " + strings.Join(faults, "; ")}, nil
	}
	f := components.Judge(with)
	doubt := components.Doubtful(f, with, p.sound)
	if len(doubt) == 0 {
		return f, nil
	}
	// Behind the proxy, too: what fails for that alone is nobody's bug.
	without, err := p.run(ctx, p.kubeconfig(m), doubt, filepath.Join(dir, "without"))
	if err != nil {
		return f, err
	}
	for _, c := range without.Cases {
		p.sound[c.ID] = components.Holds(c.Status)
	}
	return components.Confirm(f, with, without), components.Tidy(ctx, p.Bed.Client)
}

// kubeconfig is that with which cases run which may notice a mutant.
func (p *Prover) kubeconfig(m *Mutant) string {
	if m.Of == "" {
		return p.cases.Kubeconfig
	}
	return p.Bed.Kubeconfig
}

// broken runs cases while the mutant is there, and tells of errors of the proxy's own.
func (p *Prover) broken(ctx context.Context, m *Mutant, cases []string, dir string) (r schema.Report, faults []string, err error) {
	if m.Of == "" {
		p.cases.Turn(m)
		defer p.cases.Turn(nil)
		r, err = p.run(ctx, p.kubeconfig(m), cases, dir)
		return r, p.cases.Faults(), err
	}
	if err := p.plane.Turn(ctx, m); err != nil {
		return r, nil, err
	}
	r, err = p.run(ctx, p.kubeconfig(m), cases, dir)
	faults = p.plane.Faults(m)
	return r, faults, errors.Join(err, p.plane.Heal(context.WithoutCancel(ctx), m))
}

func (p *Prover) prepare(ctx context.Context) (err error) {
	if p.cases != nil {
		return nil
	}
	p.sound, p.plane = map[string]bool{}, NewPlane(p.Provider, p.Bed.Cluster, p.Bed.REST, p.Dir)
	p.cases, err = Start(ctx, p.Bed.REST, p.Dir)
	return err
}

// run runs cases by their IDs, all of them, with a kubeconfig. What those that fail leave
// is for Tidy.
func (p *Prover) run(ctx context.Context, kubeconfig string, cases []string, dir string) (schema.Report, error) {
	o := p.Options.On(p.Bed)
	if kubeconfig != p.Bed.Kubeconfig {
		o.Kubeconfig, o.Context = kubeconfig, ""
	}
	o.ReportDir, o.CaseLimit, o.Keep, o.Timelines, o.Filter = dir, limit(run.Metas(p.Parts.Cases), cases), true, spec.TimelinesFailed, plan.Filter{}
	for _, id := range cases {
		o.Filter.Focus = append(o.Filter.Focus, "^"+regexp.QuoteMeta(id)+" ")
	}
	return run.Run(ctx, p.Parts, o)
}
