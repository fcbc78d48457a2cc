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

package components

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/prove"
	"github.com/dra-conformance/dratest/framework/prove/detection"
	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
)

// Trial is the trial of a mutant: cases claiming one of its violated requirements may detect it, and one of them
// must. A case rebooting the control plane's node would restart a component without its mutant, for all later cases.
func (m Mutant) Trial(metas []spec.Meta) prove.Trial {
	t := prove.Trial{ID: m.ID, What: m.What}
	for _, meta := range metas {
		if meta.Needs.Restarts == spec.ControlPlane && !m.OfCompanion && m.Component() != "kubelet" {
			continue
		}
		if meta.Claims(m.Requires) {
			t.Must = append(t.Must, meta.ID)
		}
	}
	return t
}

// Provider makes clusters with components on nodes, or as processes.
type Provider interface {
	clusters.Opener
	ControlPlane
}

// Prover mutates the components of one cluster, built with Overlay.
type Prover struct {
	Cases *detection.Cases
	// Provider has made the cluster.
	Provider Provider

	switcher switcher
}

// Try turns a mutant on, runs the cases that may detect it, and turns it off. All cases without a detection so far
// run; if none of them detects it, the others run until one does. A mutant ending its component is inconclusive.
func (p *Prover) Try(ctx context.Context, m Mutant, t prove.Trial, dir string) (prove.Finding, error) {
	if err := p.prepare(ctx); err != nil {
		return prove.Finding{}, err
	}
	return p.Cases.Try(ctx, t, dir, func(sound []string, dir string) (schema.Report, string, error) {
		with, crashed, err := p.broken(ctx, m, func() (schema.Report, error) { return p.Cases.RunInTurn(ctx, sound, t.Quiet, dir) })
		if crashed && !restarting(run.Metas(p.Cases.Parts.Cases), with) {
			return with, crash, err
		}
		return with, "", err
	})
}

// crash is the problem of a mutant ending its component.
const crash = "the mutant crashes its component: a mutant must not; --only leaves one out"

// broken runs cases with a mutant on, and reports whether the component ended meanwhile.
func (p *Prover) broken(ctx context.Context, m Mutant, cases func() (schema.Report, error)) (r schema.Report, crashed bool, err error) {
	if m.OfCompanion {
		return runWithMutant(m, cases)
	}
	crashed, err = p.With(ctx, m, func() (err error) {
		r, err = cases()
		return err
	})
	return r, crashed, err
}

// With calls do while a mutant of a cluster's component is on, and reports whether the component crashed meanwhile.
func (p *Prover) With(ctx context.Context, m Mutant, do func() error) (crashed bool, err error) {
	if err := p.prepare(ctx); err != nil {
		return false, err
	}
	program := programOf(m)
	if err := turn(ctx, p.switcher, program, m.ID); err != nil {
		return false, err
	}
	before, err := p.switcher.processes(ctx, program)
	if err == nil {
		err = do()
	}
	always := context.WithoutCancel(ctx)
	after, lookErr := p.switcher.processes(always, program)
	crashed = lookErr == nil && before != after
	offErr := turn(always, p.switcher, program, "")
	if offErr != nil && crashed {
		offErr = fmt.Errorf("%s: %w", crash, offErr)
	}
	return crashed, errors.Join(err, lookErr, offErr)
}

// Watch calls ended if the processes of the mutant's component end before ctx does. Call it while the mutant is on (With).
func (p *Prover) Watch(ctx context.Context, m Mutant, ended func()) {
	before, err := p.switcher.processes(ctx, programOf(m))
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	for err == nil {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		var now string
		if now, err = p.switcher.processes(ctx, programOf(m)); err == nil && now != before {
			ended()
			return
		}
	}
}

const watchEvery = 2 * time.Second

func (p *Prover) prepare(ctx context.Context) error {
	if p.switcher != nil {
		return nil
	}
	bed := p.Cases.Bed
	if bed.Provider == clusters.ProviderControlPlane {
		p.switcher = asProcesses{cluster: bed.Cluster, control: p.Provider}
		return nil
	}
	machines, err := p.Provider.Machines(ctx, bed.Cluster)
	if err != nil {
		return fmt.Errorf("reach the nodes: %w", err)
	}
	p.switcher = onNodes{machines: machines, client: bed.Client}
	return nil
}

// restarting reports whether one of the executed cases restarts components itself.
func restarting(metas []spec.Meta, r schema.Report) bool {
	return slices.ContainsFunc(r.Cases, func(c schema.Case) bool {
		return c.Status != spec.NotApplicable && slices.ContainsFunc(metas, func(m spec.Meta) bool {
			return m.ID == c.ID && (m.Needs.Disruption || m.Needs.Restarts != "")
		})
	})
}
