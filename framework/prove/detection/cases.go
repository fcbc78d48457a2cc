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

package detection

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

// Timeouts of cases: several times their usual duration, on nodes and on a control plane of processes. Defects often
// show as nothing happening, at two minutes per case. Cases starting programs have twice the longest one's duration:
// the programs start, and devices are attached and detached.
const (
	nodeLimit       = 30 * time.Second
	simulationLimit = 20 * time.Second
	startedLimit    = time.Minute
)

// overTime is the prefix of a timed-out case's message.
const overTime = "the case took longer than"

// Cases run on one cluster, with mutants and without.
type Cases struct {
	Parts   run.Parts
	Options run.Options
	Bed     *testbed.Testbed
	// Kubeconfig is an alternative kubeconfig; empty for the testbed's.
	Kubeconfig string

	// without has each case's last result without any mutant.
	without map[string]schema.Case
	// messages has each case's message of its last detection.
	messages map[string]string
	// control replaces Run without a mutant in tests.
	control func(cases []string) (schema.Report, error)
}

// RunWithMutant runs cases with the mutant of a trial on, and their report in dir. A problem makes the mutant inconclusive.
type RunWithMutant func(cases []string, dir string) (with schema.Report, problem string, err error)

// Try runs cases without and with the mutant of a trial, with reports below dir: broken gets the cases able to prove
// a detection.
func (c *Cases) Try(ctx context.Context, t prove.Trial, dir string, broken RunWithMutant) (prove.Finding, error) {
	if err := c.Bed.StopStrays(ctx); err != nil {
		return prove.Finding{}, fmt.Errorf("remove leftovers of cases: %w", err)
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

// sound returns the cases able to prove a detection, since they pass without a mutant, and those unable to run here;
// unknown ones are run first, with their report in dir. If none passes but some fail, the problem says why the mutant
// will be inconclusive.
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

// holds reports whether a case's failure with a mutant counts: without one it passes, or shows only Kubernetes' known
// issue.
func (c *Cases) holds(id string) bool {
	return c.without[id].Status.Ended()
}

func (c *Cases) unsound(cases []string) []string {
	var why []string
	for _, id := range cases {
		if can := c.without[id]; !c.holds(id) && can.Status != spec.NotApplicable {
			why = append(why, fmt.Sprintf("%s does not pass without the mutant either: %s %s%s", id, can.Status, can.Failure, can.Reason))
		}
	}
	return why
}

// again runs cases without a mutant and stores their results. A case with any failure does not count any more.
func (c *Cases) again(ctx context.Context, cases []string, dir string) error {
	if len(cases) == 0 {
		return nil
	}
	if c.without == nil {
		c.without, c.messages = map[string]schema.Case{}, map[string]string{}
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

// vacate waits until no pod and no claim of other cases is left: deletions would wake cases checking that nothing
// else does, and dozens of leftovers of a mutant detected by many cases would slow down the next ones. If one of
// these needs the cluster alone, everything is gone then. Namespaces that do not go are reported by the cases.
func (c *Cases) vacate(ctx context.Context, cases []string) error {
	wait := testbed.Vacate
	if slices.ContainsFunc(run.Metas(c.Parts.Cases), func(m spec.Meta) bool { return m.Needs.Alone && slices.Contains(cases, m.ID) }) {
		wait = testbed.Settle
	}
	if err := wait(ctx, c.Bed.Client); err != nil && !errors.Is(err, testbed.ErrLeft) {
		return fmt.Errorf("remove leftovers of cases: %w", err)
	}
	return nil
}

// tidy removes leftovers of cases without waiting.
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

// verdict is the result of a trial's mutant. Some failed cases are repeated without the mutant first, with their
// report in dir: timeouts, as on a busy machine, and messages equal to the previous mutant's, which may have left
// something broken.
func (c *Cases) verdict(ctx context.Context, t prove.Trial, with schema.Report, dir string) (prove.Finding, error) {
	f := judge(with, t.All)
	doubtful := slices.DeleteFunc(slices.Clone(f.By), func(id string) bool {
		messages := failureLine(with, id)
		return !strings.Contains(messages, overTime) && messages != c.messages[id]
	})
	if err := c.again(ctx, doubtful, dir); err != nil {
		return f, err
	}
	f.By = slices.DeleteFunc(f.By, func(id string) bool { return !c.holds(id) })
	why := c.unsound(t.Must)
	f.Detected = f.Detected && len(f.By) > 0 && (!t.All || len(why) == 0)
	var notes []string
	for i, id := range f.By {
		if c.messages[id] = failureLine(with, id); i == 0 {
			notes = append(notes, c.messages[id])
		}
	}
	if f.Note != "" {
		notes = append(notes, f.Note)
	}
	// Skipped cases might have detected it.
	if !f.Detected && len(why) > 0 {
		f.Problem = strings.Join(why, "; ")
	} else {
		notes = append(notes, why...)
	}
	f.Note = strings.Join(notes, "\n")
	return f, nil
}

// Run runs cases by ID, all or until the first failure. Leftovers of failed ones are removed once the mutant is off.
func (c *Cases) Run(ctx context.Context, cases []string, failFast bool, dir string) (schema.Report, error) {
	o := c.options(cases, dir)
	o.FailFast = failFast
	return run.Run(ctx, c.Parts, o)
}

// RunWith runs all of some cases with a mutant of the test driver they catch.
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

// RunInTurn runs all quiet cases first and, if none fails, the others until the first failure, to find a detection
// for each case. It returns both reports merged.
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
