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

package kills

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/plan"
	"github.com/dra-conformance/dratest/framework/prove"
	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/reports/schema"
)

// The time that a case may take: several times what any of them does when nothing is
// broken, on nodes and on a control plane of processes. What is broken often shows itself
// by nothing happening, which would take each case's two minutes. Cases that start programs
// have twice what the longest of them takes: those begin, and devices are attached and detached.
const (
	nodeLimit       = 30 * time.Second
	simulationLimit = 20 * time.Second
	startedLimit    = time.Minute
)

// overTime is what a case says first whose time was over.
const overTime = "the case took longer than"

// Cases run on one cluster, with mutants and without.
type Cases struct {
	Parts   run.Parts
	Options run.Options
	Bed     *testbed.Testbed
	// Kubeconfig is of a way to the cluster that is not the testbed's; empty for that.
	Kubeconfig string

	// without is what each case came to when it last ran without any mutant.
	without map[string]schema.Case
	// said is what each case said when it last noticed one.
	said map[string]string
	// control takes the place of Run without a mutant in tests.
	control func(cases []string) (schema.Report, error)
}

// Broken runs cases while the mutant of a trial is on, with their report in dir. A problem is
// why nothing is known of the mutant.
type Broken func(cases []string, dir string) (with schema.Report, problem string, err error)

// Try has cases run without the mutant of a trial and with it, with their reports below dir:
// broken gets those that it may be shown with.
func (c *Cases) Try(ctx context.Context, t prove.Trial, dir string, broken Broken) (prove.Finding, error) {
	if err := c.Bed.StopStrays(ctx); err != nil {
		return prove.Finding{}, fmt.Errorf("remove what cases have left: %w", err)
	}
	sound, problem, err := c.sound(ctx, t.Must, filepath.Join(dir, "without"))
	if err != nil || problem != "" {
		return prove.Finding{Problem: problem}, err
	}
	if err := c.vacate(ctx, sound); err != nil {
		return prove.Finding{}, err
	}
	with, problem, err := broken(sound, filepath.Join(dir, "with"))
	if err := errors.Join(err, c.tidy(ctx)); err != nil || problem != "" {
		return prove.Finding{Problem: problem}, err
	}
	return c.verdict(ctx, t, with, filepath.Join(dir, "again"))
}

// sound returns those of some cases that a mutant may be shown with, as they pass without
// one, or cannot run here; those of which it is not known run, with their report in dir.
// Where none passes but some fail, the problem is why nothing will be known of the mutant.
func (c *Cases) sound(ctx context.Context, cases []string, dir string) (sound []string, problem string, err error) {
	unknown := slices.DeleteFunc(slices.Clone(cases), func(id string) bool { _, known := c.without[id]; return known })
	if err := c.again(ctx, unknown, dir); err != nil {
		return nil, "", err
	}
	if why := c.unsound(cases); len(why) > 0 && !slices.ContainsFunc(cases, c.holds) {
		return nil, strings.Join(why, "; "), nil
	}
	return slices.DeleteFunc(slices.Clone(cases), func(id string) bool { return !c.holds(id) && c.without[id].Status != spec.NotApplicable }), "", nil
}

// holds tells whether a case is to be believed when it fails with a mutant: without one it
// passes, or sees what Kubernetes is known for, and nothing else.
func (c *Cases) holds(id string) bool {
	s := c.without[id].Status
	return s == spec.Passed || s == spec.Known
}

// unsound says of each of these cases that does not pass without a mutant what is wrong.
func (c *Cases) unsound(cases []string) []string {
	var why []string
	for _, id := range cases {
		if can := c.without[id]; !c.holds(id) && can.Status != spec.NotApplicable {
			why = append(why, fmt.Sprintf("%s does not pass without the mutant either: %s %s%s", id, can.Status, can.Failure, can.Reason))
		}
	}
	return why
}

// again runs cases without a mutant, and remembers what they come to. One that has failed once
// is not believed any more.
func (c *Cases) again(ctx context.Context, cases []string, dir string) error {
	if len(cases) == 0 {
		return nil
	}
	if c.without == nil {
		c.without, c.said = map[string]schema.Case{}, map[string]string{}
	}
	r, err := c.runControl(ctx, cases, dir)
	if err != nil {
		return err
	}
	for _, id := range cases {
		c.without[id] = schema.Case{ID: id, Status: spec.Blocked, Reason: "it did not run"}
	}
	for _, can := range r.Cases {
		c.without[can.ID] = can
	}
	return nil
}

// vacate waits until no pod and no claim of other cases is left: as they go they would wake those
// that are to show that nothing else does, and dozens of a mutant that many cases notice would
// slow down what comes next. Where one of these needs the cluster alone, all is gone then.
// Namespaces that do not go are a matter of the cases that run.
func (c *Cases) vacate(ctx context.Context, cases []string) error {
	wait := testbed.Vacate
	if slices.ContainsFunc(run.Metas(c.Parts.Cases), func(m spec.Meta) bool { return m.Needs.Alone && slices.Contains(cases, m.ID) }) {
		wait = testbed.Settle
	}
	if err := wait(ctx, c.Bed.Client); err != nil && !errors.Is(err, testbed.ErrLeft) {
		return fmt.Errorf("remove what cases have left: %w", err)
	}
	return nil
}

// tidy removes what cases have left, and does not wait until it is gone.
func (c *Cases) tidy(ctx context.Context) error {
	errs := []error{testbed.Tidy(ctx, c.Bed.Client)}
	for _, companion := range c.Parts.Companions {
		if companion.Tidy != nil {
			errs = append(errs, companion.Tidy(ctx, c.Bed.REST))
		}
	}
	return errors.Join(errs...)
}

func (c *Cases) runControl(ctx context.Context, cases []string, dir string) (schema.Report, error) {
	if c.control != nil {
		return c.control(cases)
	}
	if err := c.vacate(ctx, cases); err != nil {
		return schema.Report{}, err
	}
	r, err := c.Run(ctx, cases, false, dir)
	return r, errors.Join(err, c.tidy(ctx))
}

// verdict is what the mutant of a trial has come to. Some of the cases that failed run again
// first, now without the mutant, with their report in dir: those whose time was over, as it is
// where the machine is busy, and those that say what they said of the mutant before, which may
// have left something broken.
func (c *Cases) verdict(ctx context.Context, t prove.Trial, with schema.Report, dir string) (prove.Finding, error) {
	f := judge(with, t.All)
	doubtful := slices.DeleteFunc(slices.Clone(f.By), func(id string) bool {
		said := says(with, id)
		return !strings.Contains(said, overTime) && said != c.said[id]
	})
	if err := c.again(ctx, doubtful, dir); err != nil {
		return f, err
	}
	f.By = slices.DeleteFunc(f.By, func(id string) bool { return !c.holds(id) })
	why := c.unsound(t.Must)
	f.Shown = f.Shown && len(f.By) > 0 && (!t.All || len(why) == 0)
	var notes []string
	for i, id := range f.By {
		if c.said[id] = says(with, id); i == 0 {
			notes = append(notes, c.said[id])
		}
	}
	if f.Note != "" {
		notes = append(notes, f.Note)
	}
	// What was left out might have noticed it.
	if !f.Shown && len(why) > 0 {
		f.Problem = strings.Join(why, "; ")
	} else {
		notes = append(notes, why...)
	}
	f.Note = strings.Join(notes, "\n")
	return f, nil
}

// Run runs cases by their IDs, all of them or until one fails. What those that fail leave is
// removed once what was broken works again.
func (c *Cases) Run(ctx context.Context, cases []string, failFast bool, dir string) (schema.Report, error) {
	o := c.options(cases, dir)
	o.FailFast = failFast
	return run.Run(ctx, c.Parts, o)
}

// RunWith runs all of some cases with the test driver having a mutant that they catch.
func (c *Cases) RunWith(ctx context.Context, mutant spec.MutantID, cases []string, dir string) (schema.Report, error) {
	o := c.options(cases, dir)
	o.Filter.Mutant = mutant
	return run.Run(ctx, c.Parts, o)
}

func (c *Cases) options(cases []string, dir string) run.Options {
	o := c.Options.On(c.Bed)
	if c.Kubeconfig != "" {
		o.Kubeconfig, o.Context = c.Kubeconfig, ""
	}
	o.ReportDir, o.Keep, o.Timelines = dir, true, spec.TimelinesFailed
	o.CaseLimit = limit(run.Metas(c.Parts.Cases), cases, c.Bed.Provider)
	o.Filter = plan.Filter{}
	for _, id := range cases {
		o.Filter.Focus = append(o.Filter.Focus, "^"+regexp.QuoteMeta(id)+" ")
	}
	return o
}

// limit is the time that each of these cases has.
func limit(metas []spec.Meta, cases []string, provider string) time.Duration {
	starts := slices.ContainsFunc(metas, func(m spec.Meta) bool {
		return slices.Contains(cases, m.ID) && len(m.Needs.Companions) > 0
	})
	switch {
	case starts:
		return startedLimit
	case provider == clusters.ProviderControlPlane:
		return simulationLimit
	default:
		return nodeLimit
	}
}

// RunInTurn runs the quiet ones of some cases, all of them, and where none fails the others
// until one does, so that it is known of each case whether it notices something. It returns
// the reports of both in one.
func (c *Cases) RunInTurn(ctx context.Context, cases, quiet []string, dir string) (schema.Report, error) {
	return inTurn(cases, quiet, func(cases []string, all bool) (schema.Report, error) {
		if all {
			return c.Run(ctx, cases, false, dir+"-quiet")
		}
		return c.Run(ctx, cases, true, dir)
	})
}

func inTurn(cases, quiet []string, run func(cases []string, all bool) (schema.Report, error)) (schema.Report, error) {
	var first, others []string
	for _, id := range cases {
		if slices.Contains(quiet, id) {
			first = append(first, id)
		} else {
			others = append(others, id)
		}
	}
	var report schema.Report
	if len(first) > 0 {
		var err error
		if report, err = run(first, true); err != nil {
			return report, err
		}
	}
	if len(others) == 0 || len(judge(report, false).By) > 0 {
		return report, nil
	}
	rest, err := run(others, false)
	rest.Cases = slices.Concat(report.Cases, rest.Cases)
	return rest, err
}
