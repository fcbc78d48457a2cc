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

package run

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/plan"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/upgrade/cases"
	"github.com/dra-conformance/dratest/upgrade/path"
)

// pieceTimeout bounds a part of a case. Scheduler and controller manager exit if the API server is unavailable for
// longer than their lease, and the kubelet backs off up to five minutes.
const pieceTimeout = 6 * time.Minute

type runningCase struct {
	cases.Case

	testbed caseTestbed
	record  *Case // guarded by lives.mutex
}

// caseTestbed runs cases; harness.Lifecycle implements it.
type caseTestbed interface {
	Begin(ctx context.Context) *harness.Failure
	Resume(ctx context.Context, namespace string) *harness.Failure
	Run(ctx context.Context, timeout time.Duration, do func(t *harness.T)) *harness.Failure
	End(ctx context.Context) error
	Namespace() string
	KnownIssue() (status spec.Status, text, evidence string)
}

type runningCases struct {
	all   []*runningCase
	mutex sync.Mutex
	// saved is called with the mutex held.
	saved func() error
	log   func(format string, args ...any)
}

// planned are the cases' records before anything was done.
func planned(r *run) ([]Case, error) {
	var metas []spec.Meta
	known := map[string]cases.Case{}
	for _, c := range r.parts.Cases {
		if err := c.Validate(); err != nil {
			return nil, err
		}
		if (r.testbed.Target.DriverUnderTest != nil) != c.Needs.DriverPods {
			continue
		}
		metas = append(metas, c.Meta)
		known[c.ID] = c
	}
	p, err := plan.Build(metas, r.testbed.Target, r.options.Filter)
	if err != nil {
		return nil, err
	}
	var out []Case
	for _, e := range p.Entries {
		c := Case{ID: e.Meta.ID, Checks: e.Meta.Checks}
		if e.Skip == nil {
			e.Skip = r.skip(known[c.ID])
		}
		if e.Skip != nil {
			c.Status, c.Skip = spec.NotApplicable, e.Skip
		}
		out = append(out, c)
	}
	return out, nil
}

// skip returns why a case does not run in this upgrade.
func (r *run) skip(c cases.Case) *spec.Skip {
	if r.record.External != nil {
		return notByOthers(c, r.record.External.Drain)
	}
	return cmp.Or(offPath(c, r.path), unserved(c.Needs.Features, r.path))
}

// offPath returns why a case does not run on this path: its step does not occur, or its pods would not come back
// after a drain.
func offPath(c cases.Case, p path.Path) *spec.Skip {
	has := func(is func(path.Step) bool) bool { return slices.ContainsFunc(p.Steps, is) }
	drains := has(func(s path.Step) bool { return s.Drain })
	text := ""
	switch {
	case c.Switches != "" && !has(func(s path.Step) bool { return s.Gate == c.Switches }):
		text = fmt.Sprintf("is about switching the feature gate %s: no step does", c.Switches)
	case c.Drained && !drains:
		text = "is about drained nodes: use --drain"
	case !c.Drained && drains:
		text = "its pods would not come back after a node was drained"
	case c.Down != nil && !has(func(s path.Step) bool { return s.Place.Component == path.Kubelet && s.From.Own == s.To.Own }):
		text = "is about a stopped kubelet: no kubelet changes its version"
	default:
		return nil
	}
	return &spec.Skip{Code: spec.SkipPath, Text: text}
}

// unserved returns why a feature cannot be used on the whole path.
func unserved(features []spec.Feature, p path.Path) *spec.Skip {
	for _, state := range p.States() {
		for place, software := range state.Software {
			if place.Component == path.Proxy {
				continue
			}
			for _, f := range features {
				if place.Component == path.Kubelet && !f.OnKubelets() {
					continue
				}
				if !state.On(f, place) {
					return &spec.Skip{Code: spec.SkipFeature, Text: fmt.Sprintf("needs feature %s, not served by %s %s", f, place.Component, software)}
				}
			}
		}
	}
	return nil
}

// piece selects a part of a case, nil if it has none.
type piece func(c cases.Case) func(t *harness.T, n *cases.Notes)

// each runs a part of all remaining cases concurrently, except parts done already and cases without objects. The error
// is a failure to record it.
func (l *runningCases) each(ctx context.Context, phase Phase, step int, do piece) error {
	var all sync.WaitGroup
	for _, c := range l.all {
		run := do(c.Case)
		if run == nil || c.record.Status != "" || c.record.gone() || c.record.did(phase, step) {
			continue
		}
		all.Go(func() { l.one(ctx, c, phase, step, run) })
	}
	all.Wait()
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.saved()
}

// one does one piece of one case.
func (l *runningCases) one(ctx context.Context, c *runningCase, phase Phase, step int, run func(t *harness.T, n *cases.Notes)) {
	began := time.Now()
	notes := c.record.Notes
	var failure *harness.Failure
	if phase == Begin {
		failure = c.testbed.Begin(ctx)
	} else {
		failure = c.testbed.Run(ctx, pieceTimeout, func(t *harness.T) { run(t, &notes) })
	}
	if failure != nil && ctx.Err() != nil {
		return // not the case's fault
	}
	p := Piece{Phase: phase, Step: step, Status: spec.Passed, Started: began.UTC(), Seconds: time.Since(began).Seconds()}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	c.record.Notes, c.record.Namespace = notes, c.testbed.Namespace()
	if status, known, evidence := c.testbed.KnownIssue(); known != "" && failure == nil {
		p.Status, p.KnownIssue, p.Evidence = status, known, evidence
		l.log("  -- case %s, %s step %d: known issue, %s", c.ID, phase, step, known)
	}
	if failure != nil {
		l.failed(c, p, failure)
	} else {
		c.record.Pieces = append(c.record.Pieces, p)
	}
	if err := l.saved(); err != nil {
		l.log("  !! %v", err)
	}
}

// failed ends a case with a failed piece.
func (l *runningCases) failed(c *runningCase, p Piece, failure *harness.Failure) {
	p.Status, p.Failure, p.LastStep, p.Location, p.Evidence = spec.Failed, failure.Text, failure.LastStep, failure.Location, failure.Evidence
	if failure.Blocked != "" {
		p.Status = spec.Blocked
	}
	c.record.Status = p.Status
	c.record.Pieces = append(c.record.Pieces, p)
	l.log("  !! case %s, %s step %d: %s (%s)", c.ID, p.Phase, p.Step, failure.Text, failure.Evidence)
}

// end removes the objects of the cases, and returns those it could not remove.
func (l *runningCases) end(ctx context.Context) []string {
	problems := make([]string, len(l.all))
	var all sync.WaitGroup
	for i, c := range l.all {
		all.Go(func() {
			if err := c.testbed.End(ctx); err != nil {
				problems[i] = fmt.Sprintf("clean up after case %s: %v", c.ID, err)
			}
		})
	}
	all.Wait()
	var found []string
	for _, p := range problems {
		if p != "" {
			found = append(found, p)
		}
	}
	return found
}
