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
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/dra-conformance/dratest/framework/plan"
	"github.com/dra-conformance/dratest/framework/prove"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/upgrade/path"
	"github.com/dra-conformance/dratest/upgrade/run"
)

// fault is a fault injected right before a step of an upgrade.
type fault struct {
	spec.Defect

	at path.Place // its step; the node is without the cluster's name
	// must is the case expected to fail in that part after the step; without one the step itself must fail.
	must  string
	phase run.Phase
	do    func(ctx context.Context, g environment) error
	// restore undoes faults affecting later steps.
	restore func(ctx context.Context, g environment) error
	// timeout is the step's timeout if it is expected to fail.
	timeout time.Duration
}

// faults are in the order of their steps. There can be none after a failing step.
//
//nolint:gochecknoglobals // a table
var faults = []fault{
	{
		Defect: spec.Defect{ID: "driver-forgets", What: "the driver has forgotten what is prepared: its memory is the CDI files"},
		at:     path.Place{Component: path.ControllerManager, Node: "control-plane"}, must: "upgrade/driver-rolling", phase: run.After, do: forgetPrepared,
	},
	{
		Defect: spec.Defect{ID: "scheduler-forgets", What: "the new scheduler does not say of a claim that it is for extended resources"},
		at:     path.Place{Component: path.Scheduler, Node: "control-plane"}, must: "upgrade/extended-explicit", phase: run.Anew, do: forgetAnnotation, restore: restoreAnnotation,
	},
	{
		Defect: spec.Defect{ID: "checkpoint-unreadable", What: "the new kubelet cannot read the checkpoint of the old one, and starts without"},
		at:     path.Place{Component: path.Kubelet, Node: "worker"}, must: "upgrade/checkpoint", phase: run.After, do: loseCheckpoint,
	},
	{
		Defect: spec.Defect{ID: "kubelet-does-not-start", What: "the new kubelet does not start"},
		at:     path.Place{Component: path.Kubelet, Node: "worker2"}, do: keepKubelet, timeout: 20 * time.Second,
	},
}

// Proof has a trial for each component of the new version with a fault.
func Proof() prove.Proof {
	p := prove.Proof{Name: "upgrade", Keyword: "detected"}
	for _, b := range faults {
		p.Trials = append(p.Trials, prove.TrialOf(b.Defect, b.noticedBy()))
	}
	return p
}

// Prover runs the trials in one upgrade, paused before and after each.
type Prover struct {
	run.Series
	// Dir is the upgrade's report directory.
	Dir string
	// Trials are the selected trials: only their cases run.
	Trials []prove.Trial

	steps []run.Step
}

var _ prove.Prover = (*Prover)(nil)

// Open computes the path. The first trial makes the cluster.
func (p *Prover) Open(ctx context.Context, resumed bool) (err error) {
	if p.Options.Request, err = run.Between("1.36", "1.37"); err != nil {
		return err
	}
	way, err := run.Plan(p.Options)
	if err != nil {
		return err
	}
	p.steps = run.Steps(way)
	focus := []string{"^upgrade/keeps-running "}
	for _, t := range p.Trials {
		if b := faultOf(t); b.must != "" {
			focus = append(focus, "^"+b.must+" ")
		}
	}
	p.Options.Filter, p.Options.ReportDir = plan.Filter{Focus: focus}, p.Dir
	return p.Start(ctx, p.Dir, resumed)
}

// Close removes the cluster, unless trials are left to run on it.
func (p *Prover) Close(ctx context.Context, over bool) error {
	if !over {
		return nil
	}
	return p.Remove(ctx)
}

// Try breaks something right before its step.
func (p *Prover) Try(ctx context.Context, t prove.Trial, _ string) (prove.Finding, error) {
	b := faultOf(t)
	number, err := stepAt(p.steps, b.at, p.Options.Cluster.Name)
	if err != nil {
		return prove.Finding{}, err
	}
	record, _, err := run.Begun(p.Dir)
	if err != nil {
		return prove.Finding{}, err
	}
	// After a kill following the step, the fault is injected already.
	if record.Done() < number {
		// The trial before this one may have paused there.
		if paused := record.Verdict != "" && record.Done() == number-1; !paused {
			if record, err = p.until(ctx, number-1, 0); err != nil {
				return prove.Finding{}, err
			}
		}
		if record.Done() < number-1 {
			return prove.Finding{}, fmt.Errorf("the upgrade did not get to step %d, before which something is to be broken: %v", number, record.Problems)
		}
		g, err := environmentOf(ctx, p.Series)
		if err != nil {
			return prove.Finding{}, err
		}
		if err := b.do(ctx, g); err != nil {
			return prove.Finding{}, fmt.Errorf("break it: %w", err)
		}
	}
	if record, err = p.until(ctx, number, b.timeout); err != nil {
		return prove.Finding{}, err
	}
	found := judge(b, record, number)
	found.Evidence = filepath.Base(p.Dir)
	if b.restore != nil {
		g, err := environmentOf(ctx, p.Series)
		if err != nil {
			return prove.Finding{}, err
		}
		if err := b.restore(ctx, g); err != nil {
			return prove.Finding{}, fmt.Errorf("mend it: %w", err)
		}
	}
	return found, nil
}

// until continues the upgrade until after a step.
func (p *Prover) until(ctx context.Context, number int, timeout time.Duration) (run.Record, error) {
	_, found, err := run.Begun(p.Dir)
	if err != nil {
		return run.Record{}, err
	}
	o := p.Options
	o.Resume, o.PauseAfter, o.StepTimeout = found, number, timeout
	return p.Upgrade(ctx, o)
}

func faultOf(t prove.Trial) fault {
	return faults[slices.IndexFunc(faults, func(b fault) bool { return b.ID == t.ID })]
}

func stepAt(steps []run.Step, at path.Place, cluster string) (int, error) {
	at.Node = cluster + "-" + at.Node
	for i, s := range steps {
		if s.Place == at {
			return i + 1, nil
		}
	}
	return 0, fmt.Errorf("the upgrade has no step for %s", at)
}

// noticedBy is the case or the step expected to fail.
func (b fault) noticedBy() string {
	return cmp.Or(b.must, "the step of the "+string(b.at.Component))
}

// judge: the case must have failed after that step, and not before.
func judge(b fault, r run.Record, number int) prove.Finding {
	must := []string{b.noticedBy()}
	if b.must == "" {
		s := r.Steps[number-1]
		if s.Done || s.Problem == "" {
			return prove.Finding{Missed: must}
		}
		return prove.Finding{Detected: true, By: must, Note: s.Problem}
	}
	for _, c := range r.Cases {
		if c.ID != b.must {
			continue
		}
		for _, piece := range c.Pieces {
			switch {
			case piece.Status != spec.Failed && piece.Status != spec.Blocked:
			case piece.Status == spec.Failed && piece.Phase == b.phase && piece.Step == number:
				return prove.Finding{Detected: true, By: must, Note: piece.Failure}
			default:
				return prove.Finding{Missed: must, Note: fmt.Sprintf("it came to %s %s step %d already: %s", piece.Status, piece.Phase, piece.Step, piece.Failure)}
			}
		}
		if c.Skip != nil {
			return prove.Finding{Missed: must, Note: "it does not run: " + c.Skip.Text}
		}
	}
	return prove.Finding{Missed: must}
}
