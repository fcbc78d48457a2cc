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
	"github.com/dra-conformance/dratest/framework/prove/detection"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
)

// Trial is the trial of a mutant: cases claiming one of its violated requirements may detect it, and one of them
// must. Cases needing a kubelet, which is not behind the proxy, count only for mutants seen by cases and not
// detectable by other cases. Mutants of components are not for API-only cases.
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

// Prover simulates bugs of one cluster's API server.
type Prover struct {
	// Cases run without a proxy, for mutants seen by components.
	Cases *detection.Cases
	// Provider has made the cluster.
	Provider Provider
	// Dir is for kubeconfigs, until Close.
	Dir string

	proxy *Proxy
	// behind are the cases behind the proxy: a failure due to the proxy alone is nobody's bug.
	behind *detection.Cases
	plane  *Plane
}

// Close stops the proxies. Components behind them are unusable then.
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

// Try turns on a mutant and runs all cases that may detect it.
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
		// Without a mutant, too: a failure due to the proxy alone is nobody's bug.
		if err := p.plane.Place(ctx, spec.Scheduler, spec.Controllers); err != nil {
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

// broken runs cases with the mutant, and reports errors of the proxy itself.
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
	return r, faults, errors.Join(err, p.plane.Restore(context.WithoutCancel(ctx), m))
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
	p.behind = &detection.Cases{Parts: p.Cases.Parts, Options: p.Cases.Options, Bed: bed, Kubeconfig: p.proxy.Kubeconfig}
	return nil
}
