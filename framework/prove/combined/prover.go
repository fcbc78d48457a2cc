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

package combined

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/explore"
	"github.com/dra-conformance/dratest/framework/prove"
	"github.com/dra-conformance/dratest/framework/prove/components"
	"github.com/dra-conformance/dratest/framework/prove/detection"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
)

// Proof returns a trial without a mutant and one for each mutant.
func Proof(mutants []Candidate) prove.Proof {
	p := prove.Proof{Name: "combined", Keyword: "detected", Trials: []prove.Trial{{ID: sound, What: "explore without a mutant"}}}
	for _, m := range mutants {
		p.Trials = append(p.Trials, prove.TrialOf(m.Defect))
	}
	return p
}

// sound is the trial without a mutant. It must have no finding.
const sound = "scheduler-none"

// Prover explores one cluster with one mutant after the other.
type Prover struct {
	Parts testbed.Parts
	// Options configure the explorations. The cluster's scheduler is built with the mutants.
	Options explore.Options
	// Provider makes the cluster.
	Provider components.Provider

	bed      *testbed.Testbed
	switcher *components.Prover
}

var _ prove.Prover = (*Prover)(nil)

// Open creates the cluster, replacing that of a killed process.
func (p *Prover) Open(ctx context.Context, _ bool) (err error) {
	p.bed, err = testbed.Open(ctx, p.Parts, p.Options.Config)
	p.switcher = &components.Prover{Cases: &detection.Cases{Bed: p.bed}, Provider: p.Provider}
	return err
}

// Close removes the cluster.
func (p *Prover) Close(ctx context.Context, _ bool) error { return p.bed.Close(ctx, nil) }

// Try explores the cluster with a mutant on, until the first finding.
func (p *Prover) Try(ctx context.Context, t prove.Trial, dir string) (prove.Finding, error) {
	o := p.Options
	o.Cluster, o.Kubeconfig, o.Context = clusters.Config{}, p.bed.Kubeconfig, p.bed.Context
	o.ReportDir, o.First, o.Out = dir, true, nil
	var s explore.Summary
	m := components.Mutant{Defect: spec.Defect{ID: t.ID}}
	crashed, err := p.switcher.With(ctx, m, func() (err error) {
		running, stop := context.WithCancel(ctx)
		defer stop()
		go p.switcher.Watch(running, m, stop)
		s, err = explore.Run(running, p.Parts, o)
		return err
	})
	if crashed { // Nobody restarts the scheduler.
		err = errors.Join(p.bed.Close(ctx, nil), p.Open(ctx, false))
	}
	return judge(t.ID, s, crashed), err
}

// judge returns the result of a trial. A finding, a pod that the scheduler does not try, or a crash detects a
// mutant; the trial without a mutant must have none of them.
func judge(id string, s explore.Summary, crashed bool) prove.Finding {
	f := prove.Finding{Note: fmt.Sprintf("%d problems in %.0fs", s.Problems, s.Seconds)}
	for _, found := range s.Findings {
		for _, v := range found.Violations {
			f.By = append(f.By, v.Promise)
		}
		f.Note += fmt.Sprintf("; problem %d: %s", found.Number, found.Violations[0].What)
	}
	if len(s.Findings) == 0 && len(s.Troubles) > 0 {
		f.By = append(f.By, "not-tried")
		f.Note += "; " + s.Troubles[0]
	}
	if crashed {
		f.By = append(f.By, "crash")
	}
	slices.Sort(f.By)
	f.By = slices.Compact(f.By)
	f.Detected = len(f.By) > 0
	if id == sound {
		if f.Detected {
			f.Problem = "the exploration has findings without a mutant: " + strings.Join(f.By, ", ")
		}
		f.Detected, f.By = true, nil
	}
	return f
}
