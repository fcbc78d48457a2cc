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
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/dra-conformance/dratest/framework/probe"
	"github.com/dra-conformance/dratest/framework/run/console"
	"github.com/dra-conformance/dratest/framework/run/journal"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/schema"
)

// Run runs the cases selected by the options, and writes and returns the report. Errors mean there is no reliable
// verdict: ErrNothingRan if no case was selected, reports.ErrInUse if the report directory is, testbed.ErrReserved if
// the cluster is, and everything making the cluster unusable.
func Run(ctx context.Context, parts Parts, o Options) (schema.Report, error) {
	started := time.Now()
	o = o.withDefaults(started)
	if err := o.Validate(); err != nil {
		return schema.Report{}, err
	}
	ctx, again, stop := interruptible(ctx, o.Signals)
	defer stop()
	dir, err := o.absolute()
	if err != nil {
		return schema.Report{}, err
	}
	r := &running{parts: parts, options: o, dir: dir, started: started, again: again}
	made, err := testbed.Run(ctx, dir, r)
	if err != nil && made.SchemaVersion == "" && r.anew {
		err = errors.Join(err, reports.WriteError(dir, started, err))
	}
	return made, err
}

// DryRun returns the plan for the options. Without a cluster (no kubeconfig) there is no target, and no case is
// skipped for its needs.
func DryRun(ctx context.Context, parts Parts, o Options) (spec.Plan, error) {
	o = o.withDefaults(time.Now())
	if err := o.Validate(); err != nil {
		return spec.Plan{}, err
	}
	metas, err := selected(parts, o.Filter)
	if err != nil {
		return spec.Plan{}, err
	}
	if err := reports.CheckDir(o.ReportDir); err != nil {
		return spec.Plan{}, err
	}
	if !o.Existing() {
		var p spec.Plan
		for _, m := range metas {
			p.Entries = append(p.Entries, spec.Entry{Meta: m})
		}
		return p, nil
	}
	o.Out = io.Discard
	r := running{parts: parts, options: o}
	if r.testbed, err = testbed.Open(ctx, parts.Parts, o.Config); err != nil {
		return spec.Plan{}, err
	}
	err = r.examine(ctx)
	return r.plan, err
}

// Clean removes an earlier run's files from a report directory locked by the caller, so none is mistaken for a new
// one. Other files stay.
func Clean(dir string) error {
	if err := removeReport(dir); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(dir, logFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the log of an earlier run: %w", err)
	}
	return journal.Reset(dir)
}

// running is a run.
type running struct {
	parts   Parts
	options Options
	dir     string
	started time.Time
	before  earlier
	// anew is true once the directory has been cleaned for a new report.
	anew bool
	// again has a value for each further wish to end.
	again <-chan struct{}

	// Prepare sets these; digests are those of the test driver's images.
	testbed *testbed.Testbed
	plan    spec.Plan
	clients companionClients
	digests []string
	// setAside is the node set aside for cases with spec.Meta.HoldsNode, if any.
	setAside string
}

// Clean removes the report of an earlier run, or takes it up.
func (r *running) Clean() (err error) {
	if r.options.Again == "" {
		err = Clean(r.dir)
		r.anew = err == nil
		return err
	}
	if r.before, err = takeUp(r.dir, time.Now()); err == nil {
		r.started, r.options = r.before.started, r.before.options(r.options)
	}
	return err
}

// Do runs the planned cases and writes the report; it is zero if it could not be written.
func (r *running) Do(ctx context.Context) (schema.Report, error) {
	report, err := r.cases(ctx)
	if r.parts.DriverUnderTest != nil && r.plan.Runs() > 0 && ctx.Err() == nil {
		err = errors.Join(err, r.parts.DriverUnderTest.After(ctx, r.testbed))
	}
	return report, err
}

// Close removes the testbed.
func (r *running) Close(ctx context.Context) error { return r.testbed.Close(ctx, r.again) }

// Print prints the report, if there is one.
func (r *running) Print(report schema.Report) {
	switch {
	case report.SchemaVersion == "":
	case r.parts.DriverUnderTest != nil:
		console.Cases(r.options.Out, report, r.options.ReportDir)
	default:
		console.Summary(r.options.Out, report, r.options.ReportDir)
	}
}

// begin records the run in the journal, and removes the report of the run being resumed, if any.
func (r *running) begin() error {
	now := journal.Run{Suite: reports.SuiteVersion(), Kubernetes: r.plan.Target.Kubernetes, Stack: r.plan.Target.Stack, Selection: r.options.selection()}
	if d := r.plan.Target.DriverUnderTest; d != nil {
		now.DriverBuild = d.Build
	}
	if err := r.before.fits(now); err != nil {
		return err
	}
	w, err := journal.Append(r.dir)
	if err != nil {
		return err
	}
	err = w.Write(journal.Record{Progress: spec.Progress{Time: time.Now()}, Run: &now})
	for _, problem := range r.before.problems {
		// Repeating cases does not undo earlier problems.
		err = errors.Join(err, w.Write(journal.Record{Problem: problem}))
	}
	if err := errors.Join(err, w.Close()); err != nil {
		return err
	}
	return removeReport(r.dir)
}

func (r *running) cases(ctx context.Context) (schema.Report, error) {
	p := r.before.left(r.plan, r.options.Again)
	console.Skips(r.options.Out, p)
	if err := r.begin(); err != nil {
		return schema.Report{}, err
	}
	c := &collector{reader: journal.Follow(r.dir), show: func(time.Time, journal.Record) {}}
	c.read(time.Now()) // the results of an earlier run
	endedEarly := ""
	if p.Runs() > 0 {
		_, _ = fmt.Fprintf(r.options.Out, "\n%d cases on %s, %d at a time, seed %d; all output in %s\n\n",
			p.Runs(), p.Target, r.options.Parallel, r.options.Seed, filepath.Join(r.options.ReportDir, logFile))
		var err error
		if endedEarly, err = r.perform(ctx, c, p); err != nil {
			return schema.Report{}, err
		}
	}
	report, err := r.write(ctx, c.outcomes, r.info(c, endedEarly))
	if err != nil {
		return report, err
	}
	return report, r.clusterGone(ctx, report)
}

func (r *running) write(ctx context.Context, outcomes []spec.Outcome, info reports.Info) (schema.Report, error) {
	report := judged(r.parts, r.testbed.Provider, reports.Build(r.plan, outcomes, info))
	if err := reports.Write(r.dir, report); err != nil {
		return report, err
	}
	return report, seal(ctx, r.parts, r.options, report, outcomes, reports.Facts{})
}

// perform runs a plan, or its remaining part: first the Ginkgo specs.
func (r *running) perform(ctx context.Context, c *collector, p spec.Plan) (endedEarly string, err error) {
	lines := console.New(r.options.Out, r.options.ReportDir, p.Runs(), r.options.Parallel, time.Now())
	lines.Expected = r.options.Expectations
	defer lines.Close()
	c.show = lines.Show
	if r.options.Progress != nil {
		progress := Progress{Total: p.Runs()}
		c.show = func(now time.Time, record journal.Record) {
			lines.Show(now, record)
			if progress.add(record) {
				r.options.Progress(progress)
			}
		}
	}
	specs, checks := r.parts.Checks.split(p)
	if specs.Runs() > 0 {
		if endedEarly, err = r.ginkgo(ctx, c, specs, lines); err != nil {
			return "", err
		}
	}
	if checks.Runs() > 0 && endedEarly == "" {
		return r.check(ctx, c, checks)
	}
	return endedEarly, nil
}

// add counts the outcome of a record, and reports whether it has one.
func (p *Progress) add(record journal.Record) bool {
	o := record.Outcome
	if o == nil {
		return false
	}
	p.Completed++
	p.Message = fmt.Sprintf("%s %s", o.ID, o.Status)
	if o.Status == spec.Failed {
		p.Failures = append(p.Failures, o.ID)
	}
	return true
}

// ginkgo runs the Ginkgo specs of a plan.
func (r *running) ginkgo(ctx context.Context, c *collector, p spec.Plan, lines *console.Console) (endedEarly string, err error) {
	earlier := len(c.outcomes)
	g, err := startGinkgo(r.session(p), r.options)
	if err != nil {
		return "", err
	}
	defer g.close()
	m, err := r.monitor(ctx)
	if err != nil {
		return "", err
	}
	began := time.Now()
	endedEarly, exit := g.wait(stops{
		interrupted: ctx.Done(), again: r.again, limit: r.options.Timeout, patience: r.options.scaled(patience),
		gone: m.gone,
	}, func(now time.Time) {
		c.read(now)
		lines.Tick(now)
	})
	err = m.close(ctx)
	now := time.Now()
	c.read(now)
	if err != nil {
		c.problem(now, err.Error())
	}
	switch {
	case endedEarly != "":
	case now.Sub(began) >= r.options.Timeout:
		endedEarly = "the time limit of " + r.options.Timeout.String() + " was reached"
	case r.options.FailFast && exit != nil && len(c.outcomes)-earlier < p.Runs():
		endedEarly = "a case failed before, and --fail-fast was given"
	}
	c.explain(now, exit, endedEarly, c.outcomes[earlier:])
	c.finish(now, endedEarly)
	return endedEarly, nil
}

// session is shared by the processes of the run.
func (r *running) session(p spec.Plan) Session {
	o := r.options
	return Session{
		Kubeconfig: r.testbed.Kubeconfig, Context: r.testbed.Context, Companions: r.clients, Plan: p,
		ReportDir: r.dir, PodImage: o.PodImage, PodTemplate: o.PodTemplate, Keep: o.Keep, SetAside: r.setAside, NamespacesStay: r.testbed.Temporary(), Strict: o.Strict, Timelines: o.Timelines, CaseLimit: o.CaseLimit, TimeoutScale: o.changedScale(), Mutant: r.mutant(),
	}
}

// mutant is the test driver's mutant. Cases failed due to it are repeated without.
func (r *running) mutant() spec.MutantID {
	if r.options.Again == Failures {
		return ""
	}
	return r.options.Filter.Mutant
}

func (r *running) info(c *collector, endedEarly string) reports.Info {
	driver := r.options.Driver
	driver.Digests = r.digests
	return reports.Info{
		Requirements: r.parts.Requirements,
		Suite:        reports.SuiteVersion(), Provider: r.testbed.Provider, Driver: driver, Selection: r.options.selection(),
		Seed: r.options.Seed, Started: r.started, Ended: time.Now(), EndedEarly: endedEarly, Problems: c.problems,
		Monitoring: c.monitoring, Findings: c.findings,
	}
}

// ErrNothingRan: the filter leaves no case, so nothing was started.
var ErrNothingRan = errors.New("nothing ran")

// ErrClusterGone: the cluster became unavailable during the run, so its outcomes are meaningless.
var ErrClusterGone = errors.New("the cluster went away during the run")

// clusterGone returns an error if cases did not pass and the cluster is unavailable: then the failures are not the
// cluster's.
func (r *running) clusterGone(ctx context.Context, report schema.Report) error {
	if report.Summary.Failed+report.Summary.ExpectedFailures+report.Summary.Warnings+report.Summary.Blocked == 0 || ctx.Err() != nil {
		return nil
	}
	err := probe.Reachable(ctx, r.testbed.REST)
	if err == nil {
		return nil
	}
	r.testbed.Forget()
	return fmt.Errorf("%w: %w", ErrClusterGone, err)
}
