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
	"os"
	"path/filepath"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/harness/undertest"
	"github.com/dra-conformance/dratest/framework/probe"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/upgrade/cases"
	"github.com/dra-conformance/dratest/upgrade/path"
)

// Stage is a process of an upgrade by another tool.
type Stage string

// The stages: one StageBegin, a StageCheck after each step of the other tool, one StageEnd.
const (
	StageBegin Stage = "begin"
	StageCheck Stage = "check"
	StageEnd   Stage = "end"
)

// errOpen is why an upgrade by another tool has no verdict yet.
var errOpen = errors.New("the upgrade has not ended: run \"dratest upgrade end\"")

// errNotBegun is why an upgrade ends without any check.
var errNotBegun = errors.New("\"dratest upgrade begin\" was interrupted: nothing was checked")

// Open reports whether an upgrade by another tool has begun, not ended, and has no problems.
func (r Record) Open() bool {
	return r.External != nil && !r.External.Ended && slices.Equal(r.Problems, []string{errOpen.Error()})
}

// PerformStage runs a stage of an upgrade by another tool, on the cluster of o.Kubeconfig. Only StageBegin uses the other
// options about the cluster and its cases; later stages read them from the record.
func PerformStage(ctx context.Context, parts Parts, o Options, external ExternalOptions, stage Stage) (Record, error) {
	o.Config = o.WithDefaults()
	o.Keep = true
	return testbed.Run(ctx, o.ReportDir, &externalRun{run: run{parts: parts, options: o}, begin: external, stage: stage})
}

// externalRun is a run without steps of its own.
type externalRun struct {
	run

	begin ExternalOptions
	stage Stage
	// uninstall removes the agents, the mark, and leftovers of cases.
	uninstall func(context.Context) error
	// fresh: this process has made the record.
	fresh bool
	// unlock lets watchers in again.
	unlock func()
}

// notBegun fails if a report directory has the state of an upgrade by another tool.
func notBegun(dir string) error {
	if r, found, _ := Begun(dir); found && r.External != nil && !r.over() {
		return clusters.Usage(fmt.Errorf("an upgrade has begun in %s: run \"dratest upgrade check\" after each step or \"dratest upgrade end\" to finish it, or use another --report-dir", dir))
	}
	return nil
}

// Clean makes the record of an upgrade, or reads it.
func (e *externalRun) Clean() error {
	if err := e.load(); err != nil {
		return clusters.Usage(err)
	}
	e.record.Verdict, e.record.Problems = "", nil
	e.takeOptions()
	e.cleaned = true
	return reports.RemoveEnd(e.options.ReportDir)
}

// load reads the record, or makes that of a new upgrade.
func (e *externalRun) load() error {
	dir := e.options.ReportDir
	r, found, err := Begun(dir)
	switch {
	case err != nil:
		return err
	case found && r.External != nil && !r.over():
		e.record = r
		if e.stage == StageBegin && len(r.Cases) == 0 { // its options may be why it failed
			e.begin.Kubeconfig, e.begin.Context = r.External.Kubeconfig, r.External.Context
			r.External.ExternalOptions, e.record.Expectations = e.begin, e.options.Expectations
		}
		return e.fits()
	case e.stage != StageBegin:
		return fmt.Errorf("no upgrade has begun in %s: run \"dratest upgrade begin\" first, or use the --report-dir of the upgrade", dir)
	}
	if err := os.RemoveAll(filepath.Join(dir, watchFolder)); err != nil {
		return fmt.Errorf("remove the downtimes of an earlier upgrade: %w", err)
	}
	e.fresh = true
	e.record = Record{
		SchemaVersion: RecordVersion, Expectations: e.options.Expectations, Started: time.Now().UTC(),
		External: &External{ID: string(uuid.NewUUID()), Suite: reports.SuiteVersion(), ExternalOptions: e.begin},
	}
	return nil
}

// fits checks that this process can continue the recorded upgrade.
func (e *externalRun) fits() error {
	was, is := e.record.External.Suite, reports.SuiteVersion()
	switch {
	case was != is:
		return fmt.Errorf("the upgrade was begun by dratest %s %s, but this is %s %s: use the same build", was.Version, was.Commit, is.Version, is.Commit)
	case e.stage == StageBegin && e.record.External.Begun:
		return notBegun(e.options.ReportDir)
	case e.stage == StageCheck && !e.record.External.Begun:
		return errors.New("\"dratest upgrade begin\" was interrupted: run it again, or \"dratest upgrade end\" to remove its objects")
	}
	return nil
}

// takeOptions takes the options of the first process from the record. A kubeconfig may have been renewed since.
func (e *externalRun) takeOptions() {
	x, o := e.record.External, &e.options
	if o.Kubeconfig == "" {
		o.Kubeconfig, o.Context = x.Kubeconfig, x.Context
	}
	o.PodImage, o.Strict, o.Upgrade, o.Resume = x.PodImage, x.Strict, x.ID, e.stage != StageBegin
}

// Prepare connects to the cluster, looks at it and installs the agents.
func (e *externalRun) Prepare(ctx context.Context) error {
	ctx, cancel := e.options.stepping(ctx)
	defer cancel()
	if e.stage == StageEnd {
		unlock, err := lockWatch(e.options.ReportDir)
		if err != nil {
			return err
		}
		e.unlock = unlock
	}
	if err := e.connect(ctx); err != nil {
		return err
	}
	e.uninstall = e.testbed.Uninstall
	if err := e.testbed.Look(ctx); err != nil {
		return err
	}
	return e.install(ctx)
}

// connect connects to the cluster, which must be that of the record.
func (e *externalRun) connect(ctx context.Context) (err error) {
	if e.testbed, err = testbed.Open(ctx, testbed.Parts{Agents: e.parts.Agents}, e.options.Config); err != nil {
		return clusters.Usage(err)
	}
	if e.stage != StageBegin {
		e.awaitAnswers(ctx)
	}
	x := e.record.External
	uid, err := clusterUID(ctx, e.testbed.Client)
	switch {
	case err != nil:
		return err
	case x.ClusterUID == "":
		x.ClusterUID, x.Kubeconfig, x.Context = uid, e.testbed.Kubeconfig, e.testbed.Context
	case x.ClusterUID != uid:
		return clusters.Usage(fmt.Errorf("kubeconfig %s is for another cluster: expected UID %s of namespace kube-system, got %s",
			e.testbed.Kubeconfig, x.ClusterUID, uid))
	}
	return nil
}

// awaitAnswers waits for an API server that was just restarted: at first it may refuse all users. If it does not answer
// at all, the next request reports that.
func (e *externalRun) awaitAnswers(ctx context.Context) {
	_ = wait.PollUntilContextTimeout(ctx, time.Second, apiTime, true, func(ctx context.Context) (bool, error) {
		_, err := probe.Target(ctx, e.testbed.REST)
		return err == nil, nil //nolint:nilerr // asked again
	})
}

// install installs the agents and marks the cluster, after recording that: "dratest upgrade end" removes both.
func (e *externalRun) install(ctx context.Context) error {
	if err := e.record.save(e.options.ReportDir); err != nil {
		return err
	}
	nodes := e.testbed.Target.Workers()
	if e.onlyRemoves() {
		nodes = nil
	}
	if err := e.testbed.Install(ctx, nodes); err != nil {
		if errors.Is(err, testbed.ErrReserved) && e.fresh {
			err = errors.Join(err, os.Remove(filepath.Join(e.options.ReportDir, RecordFile))) // nothing was made
		}
		return err
	}
	if e.onlyRemoves() {
		return nil
	}
	dir, err := filepath.Abs(e.options.ReportDir)
	if err != nil {
		return err
	}
	host, _ := os.Hostname()
	begun := fmt.Sprintf("%s on %s with the report directory %s", e.record.Started.Format(time.RFC3339), host, dir)
	if err := e.testbed.MarkUpgrade(ctx, begun); err != nil {
		return err
	}
	agents, err := e.parts.Agents.Connect(ctx, e.testbed.REST)
	if err != nil {
		return err
	}
	if err := e.findDriver(ctx); err != nil {
		return err
	}
	e.env = harness.Env{
		Config: e.testbed.REST, Plan: spec.Plan{Target: e.testbed.Target}, Agents: agents, Driver: simdriver.New(""),
		Image: e.options.PodImage, ReportDir: dir, Strict: e.options.Strict, Journal: func(spec.Progress) {},
	}
	if e.testbed.Target.DriverUnderTest != nil {
		e.env.Driver = undertest.New(nil)
	}
	return nil
}

// findDriver discovers the vendor's driver, which is installed already. An upgrade disrupts all pods anyway, so the cases
// may, too.
func (e *externalRun) findDriver(ctx context.Context) error {
	target := &e.testbed.Target
	if s := e.record.Target.DriverUnderTest; s != nil {
		target.DriverUnderTest, target.Disruptable = s, true
		return nil
	}
	if e.parts.DriverUnderTest == nil || len(e.record.Cases) > 0 {
		return nil
	}
	driver, err := e.parts.DriverUnderTest.Find(ctx, e.testbed)
	if err != nil {
		return fmt.Errorf("look for the driver: %w", err)
	}
	target.DriverUnderTest, target.Disruptable = &driver, true
	return nil
}

// Do runs the parts of the stage, and writes the record and the reports.
func (e *externalRun) Do(ctx context.Context) (Record, error) {
	stepping, cancel := e.options.stepping(ctx)
	defer cancel()
	e.began = time.Now()
	if e.live == nil {
		e.live = func(m spec.Meta) caseTestbed { return harness.NewLifecycle(m, &e.env) }
		if err := e.monitor(ctx); err != nil {
			return e.record, err
		}
	}
	err := e.all(ctx, stepping)
	ends := e.stage == StageEnd && (err == nil || errors.Is(err, errNotBegun))
	if ends {
		e.record.Problems = append(e.record.Problems, e.lives.end(ctx)...)
	}
	if e.monitoring.monitor != nil {
		e.record.Monitoring = e.record.Monitoring.Add(e.monitoring.monitor.Stop(context.WithoutCancel(ctx)))
	}
	e.record.Findings = append(e.record.Findings, e.monitoring.take()...)
	if ends {
		left := e.uninstall(ctx)
		if e.record.External.Ended = left == nil; left != nil {
			err = errors.Join(err, fmt.Errorf("%w: run \"dratest upgrade end\" again", left))
		}
	}
	if err == nil && !e.record.External.Ended {
		err = errOpen
	}
	return e.record, e.write(ctx, e.finish(err))
}

// Close gives the cluster back to the next process of the upgrade.
func (e *externalRun) Close(ctx context.Context) error {
	if e.unlock != nil {
		e.unlock()
	}
	return e.testbed.Close(ctx, nil)
}

// Print prints the results.
func (e *externalRun) Print(record Record) { Print(e.options.Out, record, e.options.ReportDir) }

// all runs the parts of the cases. Parts end with ctx only, as in other upgrades.
func (e *externalRun) all(ctx, stepping context.Context) error {
	if e.onlyRemoves() {
		e.lives = &runningCases{}
		return errNotBegun
	}
	now := e.testbed.Target
	if e.record.Target.Server != "" {
		e.testbed.Target = e.record.Target // cases keep their nodes
		e.env.Plan.Target = e.record.Target
	}
	if err := e.meet(ctx); err != nil {
		return err
	}
	switch {
	case e.stage != StageEnd:
	case !e.record.External.Begun:
		return errNotBegun
	case e.gone():
		return nil // an earlier process did all but the clean-up
	}
	now.ResourceAPIs = e.record.Target.ResourceAPIs // all of them must still be served
	e.env.Plan.Target = now
	versions, err := found(ctx, e.testbed.Client, now)
	if err != nil {
		return err
	}
	if e.stage == StageBegin {
		return e.start(ctx, stepping, versions)
	}
	if err := e.steps(ctx, stepping, versions); err != nil || e.stage == StageCheck {
		return err
	}
	last := len(e.record.Steps)
	returned := changed(e.record.External.First, versions) == "" && slices.ContainsFunc(e.record.Steps, func(s Step) bool { return s.Found != "" })
	if returned {
		if err := e.lives.each(ctx, Restored, last, func(c cases.Case) func(*harness.T, *cases.Notes) { return c.Restored }); err != nil {
			return err
		}
	}
	return e.phase(ctx, stepping, Gone, last, func(c cases.Case) func(*harness.T, *cases.Notes) { return c.Gone })
}

// start creates the objects of the cases.
func (e *externalRun) start(ctx, stepping context.Context, versions map[string]string) error {
	x := e.record.External
	x.First, x.Last = versions, versions
	for _, phase := range []Phase{Begin, Before} {
		if err := e.phase(ctx, stepping, phase, 0, func(c cases.Case) func(*harness.T, *cases.Notes) { return c.Before }); err != nil {
			return err
		}
	}
	x.Begun = true
	e.testbed.Progress.Printf("  ok %d cases created their objects; now %s", e.going(), mix(versions))
	return nil
}

// steps runs the parts of a step, after the rest of a step whose process was interrupted.
func (e *externalRun) steps(ctx, stepping context.Context, versions map[string]string) error {
	x := e.record.External
	if n := len(e.record.Steps); n > 0 && !e.checked(n) {
		if err := e.check(ctx, stepping, n); err != nil {
			return err
		}
		if changed(x.Last, versions) == "" {
			return nil
		}
	}
	seen, err := readWatch(e.options.ReportDir)
	if err != nil {
		return err
	}
	step, before := path.Step{Others: true, Found: changed(x.Last, versions)}, seen.before(len(e.record.Steps)+1)
	e.record.Steps = append(e.record.Steps, Step{Step: step, Skew: mix(versions), Done: true, Watched: before.Seconds, Downtimes: before.Downtimes})
	x.Last = versions
	if err := errors.Join(e.save(), e.writeVersions(ctx)); err != nil {
		return err
	}
	e.testbed.Progress.Printf("  .. check %d: %s; now %s", len(e.record.Steps), step, mix(versions))
	return e.check(ctx, stepping, len(e.record.Steps))
}

// writeVersions keeps the versions after a step as evidence.
func (e *externalRun) writeVersions(ctx context.Context) error {
	dir := filepath.Join(e.options.ReportDir, reports.UpgradeFolder, fmt.Sprintf("%02d", len(e.record.Steps)))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("keep evidence: %w", err)
	}
	if err := clusters.WriteVersions(ctx, e.testbed.Client, dir); err != nil {
		e.testbed.Progress.Printf("  -- evidence of check %d is incomplete: %v", len(e.record.Steps), err)
	}
	return nil
}

// check runs the parts of the cases after a step.
func (e *externalRun) check(ctx, stepping context.Context, number int) error {
	step := e.record.Steps[number-1].Step
	err := e.phase(ctx, stepping, After, number, func(c cases.Case) func(*harness.T, *cases.Notes) { return bound(c.After, step) })
	if err != nil {
		return err
	}
	return e.phase(ctx, stepping, Anew, number, func(c cases.Case) func(*harness.T, *cases.Notes) { return bound(c.Anew, step) })
}

// phase runs a part of all cases, unless the process was interrupted before.
func (e *externalRun) phase(ctx, stepping context.Context, phase Phase, number int, do piece) error {
	if stepping.Err() != nil {
		return errStopped
	}
	return e.lives.each(ctx, phase, number, do)
}

// onlyRemoves reports whether the upgrade ends without cases: its test driver may never have started.
func (e *externalRun) onlyRemoves() bool {
	return e.stage == StageEnd && !e.record.External.Begun && len(e.record.Cases) == 0
}

// gone reports whether all cases have removed their objects.
func (e *externalRun) gone() bool {
	return !slices.ContainsFunc(e.record.Cases, func(c Case) bool { return c.Status == "" && !c.gone() })
}

// checked reports whether all cases have done their parts after a step.
func (e *externalRun) checked(number int) bool {
	for _, l := range e.lives.all {
		if l.record.Status == "" && !l.record.gone() && (!l.record.did(After, number) || l.Anew != nil && !l.record.did(Anew, number)) {
			return false
		}
	}
	return true
}
