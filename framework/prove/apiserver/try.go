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

package apiserver

import (
	"context"
	"errors"
	"strings"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/prove"
	"github.com/dra-conformance/dratest/framework/prove/kills"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
)

// Trial is a mutant as a trial of a proof: the cases that claim one of the requirements
// that it breaks may notice, and one of them must. Those that need a kubelet, which is not
// behind the proxy, are only for mutants that cases are told of and no other case could
// notice. Mutants of components are not for cases of the API alone.
func (m *Mutant) Trial(metas []spec.Meta) prove.Trial {
	t := prove.Trial{ID: m.ID, What: m.What}
	var onNodes []string
	for _, meta := range metas {
		if !meta.Claims(m.Requires) {
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

// Prover has the API server of one cluster seem to have bugs.
type Prover struct {
	// Cases run as they do without a proxy, for mutants of what components see.
	Cases *kills.Cases
	// Provider has made the cluster.
	Provider Provider
	// Dir is for kubeconfigs, until Close.
	Dir string

	proxy *Proxy
	// behind are the cases behind the proxy: what fails for that alone is nobody's bug.
	behind *kills.Cases
	plane  *Plane
}

// Close ends the proxies. What is behind them is of no use then.
func (p *Prover) Close() error {
	var errs []error
	if p.proxy != nil {
		errs = append(errs, p.proxy.Close())
	}
	if p.plane != nil {
		errs = append(errs, p.plane.Close())
	}
	return errors.Join(errs...)
}

// Try has the API server have a mutant while all cases run that may notice it.
func (p *Prover) Try(ctx context.Context, m *Mutant, t prove.Trial, dir string) (prove.Finding, error) {
	if m.Of != "" && p.Cases.Bed.Provider != clusters.ProviderControlPlane {
		return prove.Finding{NotApplicable: true, Note: "only components that are processes can be behind a proxy: --provider controlplane"}, nil
	}
	if err := p.prepare(ctx); err != nil {
		return prove.Finding{}, err
	}
	cases := p.behind
	if m.Of != "" {
		cases = p.Cases
		// Without a mutant, too: what fails for the proxy alone is nobody's bug.
		if err := p.plane.Place(ctx, scheduler, controllers); err != nil {
			return prove.Finding{}, err
		}
	}
	return cases.Try(ctx, t, dir, func(sound []string, dir string) (schema.Report, string, error) {
		with, faults, err := p.broken(ctx, m, func() (schema.Report, error) { return cases.Run(ctx, sound, false, dir) })
		if len(faults) > 0 {
			return with, "the proxy itself failed: mend the mutant: " + strings.Join(faults, "; "), err
		}
		return with, "", err
	})
}

// broken runs cases while the mutant is there, and tells of errors of the proxy's own.
func (p *Prover) broken(ctx context.Context, m *Mutant, cases func() (schema.Report, error)) (r schema.Report, faults []string, err error) {
	if m.Of == "" {
		p.proxy.Turn(m)
		defer p.proxy.Turn(nil)
		r, err = cases()
		return r, p.proxy.Faults(), err
	}
	p.plane.Turn(m)
	r, err = cases()
	faults = p.plane.Faults(m)
	return r, faults, errors.Join(err, p.plane.Heal(context.WithoutCancel(ctx), m))
}

func (p *Prover) prepare(ctx context.Context) (err error) {
	if p.proxy != nil {
		return nil
	}
	bed := p.Cases.Bed
	p.plane = NewPlane(p.Provider, bed.Cluster, bed.REST, p.Dir)
	if p.proxy, err = Start(ctx, bed.REST, p.Dir); err != nil {
		return err
	}
	p.behind = &kills.Cases{Parts: p.Cases.Parts, Options: p.Cases.Options, Bed: bed, Kubeconfig: p.proxy.Kubeconfig}
	return nil
}
