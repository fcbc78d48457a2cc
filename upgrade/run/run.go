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

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/progress/live"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/outage"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/expectations"
	"github.com/dra-conformance/dratest/upgrade/cases"
	"github.com/dra-conformance/dratest/upgrade/path"
)

// Why a run ends before its time.
var (
	errStopped = errors.New("it was interrupted")
	errPaused  = errors.New("it is paused")
	errStep    = errors.New("a step could not be done")
)

// Plan returns the path of a run with these options.
func Plan(o Options) (path.Path, error) {
	o = o.withDefaults()
	if err := o.Validate(); err != nil {
		return path.Path{}, err
	}
	return path.Find(o.Request)
}

// Run performs the steps, and writes and returns the record with the reports. An error means the run did not get far
// enough for a verdict.
func Run(ctx context.Context, parts Parts, o Options) (Record, error) {
	o = o.withDefaults()
	r, started := &run{parts: parts, options: o}, time.Now()
	record, err := testbed.Run(ctx, o.ReportDir, r)
	if err != nil && record.Verdict == "" && r.cleaned {
		err = errors.Join(err, reports.WriteError(o.ReportDir, started, err))
	}
	return record, err
}

// Clean makes the record of a new run, or reads the one to resume, and prints the steps.
func (r *run) Clean() (err error) {
	if !r.options.Resume {
		if err := errors.Join(r.options.Validate(), notBegun(r.options.ReportDir)); err != nil {
			return err
		}
		r.path, err = path.Find(r.options.Request)
		r.record = newRecord(r.options, r.path, time.Now())
	} else if err = r.takeUp(); err == nil {
		r.path, err = path.Find(r.options.Request)
	}
	if err == nil {
		err = reports.RemoveEnd(r.options.ReportDir)
	}
	if err != nil {
		return err
	}
	r.cleaned = true
	PrintPlan(r.options.Out, r.record.Steps, r.record.done())
	return nil
}

// takeUp reads the record of the run to go on with.
func (r *run) takeUp() (err error) {
	if r.record, err = LoadRecord(r.options.ReportDir); err != nil {
		return err
	}
	if err := errors.Join(sameDriver(r.record, r.parts.DriverUnderTest), expectations.Valid(r.record.Expectations, time.Now())); err != nil {
		return err
	}
	if r.record.over() {
		return errors.New("the run in this directory has come to its end: there is nothing to go on with")
	}
	r.options.Request, r.options.Cluster.Name = r.record.Request, r.record.Cluster
	r.record.Verdict, r.record.Problems = "", nil
	return nil
}

// Do does the steps with the pieces of the cases, and writes the record and the reports.
func (r *run) Do(ctx context.Context) (Record, error) {
	stepping, cancel := r.options.stepping(ctx)
	defer cancel()
	r.began = time.Now()
	r.live = func(m spec.Meta) caseTestbed { return harness.NewLifecycle(m, &r.env) }
	if err := r.monitor(ctx); err != nil {
		return r.record, err
	}
	err := r.all(ctx, stepping)
	unfinished := errors.Is(err, errStopped) || errors.Is(err, errPaused) || errors.Is(err, errStep)
	r.remove = !unfinished && !r.options.Keep
	if r.remove {
		r.record.Problems = append(r.record.Problems, r.lives.end(ctx)...)
	}
	r.record.Monitoring = r.record.Monitoring.Add(r.monitoring.monitor.Stop(context.WithoutCancel(ctx)))
	r.record.Findings = append(r.record.Findings, r.monitoring.take()...)
	err = r.write(ctx, r.finish(err))
	return r.record, err
}

// Close removes the cluster, unless it is kept or gone on with.
func (r *run) Close(ctx context.Context) error {
	if r.remove {
		r.testbed.Later(r.testbed.Remove)
	}
	return r.testbed.Close(ctx, nil)
}

// Print prints the run's results.
func (r *run) Print(record Record) { Print(r.options.Out, record, r.options.ReportDir) }

// ErrOtherDriver: a run cannot be resumed with another driver.
var ErrOtherDriver = errors.New("another driver")

// sameDriver checks that a run is resumed with its own driver.
func sameDriver(r Record, v DriverUnderTest) error {
	if r.Target.Server == "" {
		return nil // it ended before the cluster was looked at
	}
	was, is := "", ""
	if r.Target.DriverUnderTest != nil {
		was = r.Target.DriverUnderTest.Driver
	}
	if v != nil {
		is = v.Driver()
	}
	if was == is {
		return nil
	}
	if was == "" {
		return fmt.Errorf("%w: the run in this directory was begun without --driver: leave that out", ErrOtherDriver)
	}
	return fmt.Errorf("%w: the run in this directory was begun with --driver, about %s: name its declaration", ErrOtherDriver, was)
}

// run is a run.
type run struct {
	parts   Parts
	options Options
	path    path.Path
	record  Record
	// cleaned is true once the directory has no earlier report.
	cleaned bool

	testbed *testbed.Testbed
	changer changer
	env     harness.Env
	// instances are the drivers measuring the unavailability of devices.
	instances []outage.Instance
	remove    bool         // the cluster at the end
	down      func() error // is done while the kubelet of the step is stopped

	lives      *runningCases
	meter      *meter
	monitoring monitoring
	began      time.Time
	live       func(spec.Meta) caseTestbed
}

// all runs everything. Steps end with stepping, parts of cases only with ctx: an interrupted part cannot be resumed.
func (r *run) all(ctx, stepping context.Context) error {
	if err := r.meet(ctx); err != nil {
		return err
	}
	if err := r.lives.each(ctx, Begin, 0, func(c cases.Case) func(*harness.T, *cases.Notes) { return c.Before }); err != nil {
		return err
	}
	if err := r.lives.each(ctx, Before, 0, func(c cases.Case) func(*harness.T, *cases.Notes) { return c.Before }); err != nil {
		return err
	}
	r.testbed.Progress.Printf("  ok %d cases created their objects", r.going())
	r.meter = &meter{client: r.testbed.Client, instances: r.instances}
	stop, err := r.meter.start(ctx)
	if err != nil {
		return err
	}
	defer stop()
	if err := r.steps(ctx, stepping); err != nil {
		return err
	}
	if r.record.Request.Back {
		if err := r.lives.each(ctx, Restored, len(r.record.Steps), func(c cases.Case) func(*harness.T, *cases.Notes) { return c.Restored }); err != nil {
			return err
		}
	}
	return r.lives.each(ctx, Gone, len(r.record.Steps), func(c cases.Case) func(*harness.T, *cases.Notes) { return c.Gone })
}

// steps runs the remaining steps, after the parts of the last completed one.
func (r *run) steps(ctx, stepping context.Context) error {
	var took []time.Duration
	task := r.testbed.Progress.Task(r.view(took))
	defer task.End()
	for i := max(0, r.record.done()-1); i < len(r.record.Steps); i++ {
		began := time.Now()
		if err := r.step(ctx, stepping, i); err != nil {
			return err
		}
		took = append(took, time.Since(began))
		task.Set(r.view(took))
	}
	return nil
}

// view is the view on a terminal; took are the durations of this process's steps.
func (r *run) view(took []time.Duration) live.View {
	done, all := r.record.done(), len(r.record.Steps)
	text := fmt.Sprintf("%d of %d steps done, cases that go on: %d", done, all, r.going())
	if len(took) > 0 && done < all {
		median := slices.Sorted(slices.Values(took))[len(took)/2]
		text += fmt.Sprintf(", about %s left", (time.Duration(all-done) * median).Round(time.Minute/2))
	}
	return live.View{Done: done, Total: all, Text: text}
}

// meet sets up the cases, from their record if there is one.
func (r *run) meet(ctx context.Context) error {
	if len(r.record.Cases) == 0 {
		r.record.Target = r.testbed.Target
		found, err := planned(r)
		if err != nil {
			return err
		}
		r.record.Cases = found
	}
	r.lives = &runningCases{saved: r.save, log: r.testbed.Progress.Printf}
	for i := range r.record.Cases {
		record := &r.record.Cases[i]
		if record.Status == spec.NotApplicable {
			r.testbed.Progress.Printf("  -- %s does not run: %s", record.ID, record.Skip.Text)
			continue
		}
		for _, c := range r.parts.Cases {
			if c.ID != record.ID {
				continue
			}
			l := &runningCase{Case: c, testbed: r.live(c.Meta), record: record}
			if err := r.resume(ctx, l); err != nil {
				return err
			}
			r.lives.all = append(r.lives.all, l)
		}
	}
	return r.save()
}

// resume continues a case of an earlier process. If another tool upgrades the cluster, a lost namespace is a failure of
// the case.
func (r *run) resume(ctx context.Context, l *runningCase) error {
	if l.record.Namespace == "" {
		return nil
	}
	failure := l.testbed.Resume(ctx, l.record.Namespace)
	switch {
	case failure == nil || l.record.gone():
		return nil
	case r.record.External == nil:
		return fmt.Errorf("go on with case %s: %s", l.ID, failure.Text)
	case l.record.Status == "":
		r.lives.failed(l, Piece{Phase: After, Step: len(r.record.Steps), Started: time.Now().UTC()}, failure)
	}
	return nil
}

func (r *run) save() error {
	now := time.Now()
	r.record.Seconds += now.Sub(r.began).Seconds()
	r.began = now
	r.record.Findings = append(r.record.Findings, r.monitoring.take()...)
	return r.record.save(r.options.ReportDir)
}

// going counts the remaining cases.
func (r *run) going() int {
	n := 0
	for _, c := range r.record.Cases {
		if c.Status == "" {
			n++
		}
	}
	return n
}

// step runs step i, unless done, and the parts after it.
func (r *run) step(ctx, stepping context.Context, i int) error {
	s, number := &r.record.Steps[i], i+1
	if !s.Done {
		if stepping.Err() != nil {
			return errStopped
		}
		if err := r.change(stepping, s, number); err != nil {
			return err
		}
	}
	r.env.Plan.Target = running(r.record.Target, r.path.States()[number])
	began := time.Now()
	err := r.lives.each(ctx, After, number, func(c cases.Case) func(*harness.T, *cases.Notes) { return bound(c.After, s.Step) })
	if err == nil {
		err = r.lives.each(ctx, Anew, number, func(c cases.Case) func(*harness.T, *cases.Notes) { return bound(c.Anew, s.Step) })
	}
	if err != nil {
		return err
	}
	r.awaitDevices(ctx)
	r.lives.mutex.Lock()
	s.Downtimes = s.Downtimes.over(r.meter.take())
	err = r.save()
	r.lives.mutex.Unlock()
	r.testbed.Progress.Printf("     cases that go on: %d (%s); not scheduled for %.1fs, API away %.1fs, node not ready %.1fs, no devices for %s",
		r.going(), time.Since(began).Round(100*time.Millisecond), s.Downtimes.Scheduling, s.Downtimes.API, s.Downtimes.NotReady, s.Downtimes.Devices)
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil || stepping.Err() != nil:
		return errStopped
	case number == r.options.PauseAfter:
		return errPaused
	}
	return nil
}

// devicesTime bounds the wait for slices removed by a step; the published helper takes half of it.
const devicesTime = time.Minute

// awaitDevices keeps an outage from counting for two steps.
func (r *run) awaitDevices(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, devicesTime)
	defer cancel()
	if err := r.meter.devices.Await(ctx); err != nil {
		r.testbed.Progress.Printf("  !! %v", err)
	}
}

// bound binds a piece to its step.
func bound(do func(*harness.T, *cases.Notes, path.Step), step path.Step) func(*harness.T, *cases.Notes) {
	if do == nil {
		return nil
	}
	return func(t *harness.T, n *cases.Notes) { do(t, n, step) }
}

// change performs a step and records it with the running versions.
func (r *run) change(ctx context.Context, s *Step, number int) error {
	began := time.Now()
	r.monitoring.stepBegins(number)
	r.meter.take() // earlier downtimes do not count
	r.down = func() error {
		// A part runs to its end even if the step is interrupted.
		return r.lives.each(context.WithoutCancel(ctx), Down, number, func(c cases.Case) func(*harness.T, *cases.Notes) { return bound(c.Down, s.Step) })
	}
	err := r.testbed.Progress.Step(fmt.Sprintf("step %d of %d: %s", number, len(r.record.Steps), s.Step), 0, func() error {
		done, err := r.changer.Do(ctx, s.Step)
		s.Downtimes.Component = done.Downtime.Seconds()
		return err
	})
	s.Seconds = time.Since(began).Seconds()
	s.Done, s.Problem = err == nil, ""
	dir := filepath.Join(r.options.ReportDir, "steps", fmt.Sprintf("%02d", number))
	looking, cancel := context.WithTimeout(context.WithoutCancel(ctx), testbed.CleanupTime)
	defer cancel()
	if mkErr := os.MkdirAll(dir, 0o755); mkErr != nil {
		return fmt.Errorf("keep evidence: %w", mkErr)
	}
	if evidence := clusters.WriteVersions(looking, r.testbed.Client, dir); evidence != nil {
		r.testbed.Progress.Printf("  -- evidence of step %d is not complete: %v", number, evidence)
	}
	switch {
	case err == nil:
		r.monitoring.stepEnds(number) // a failed step disrupts the cluster until the run ends
		return r.save()
	case ctx.Err() != nil:
		s.Problem = errStopped.Error()
		return errors.Join(errStopped, r.save())
	}
	s.Problem = err.Error()
	r.testbed.Progress.Printf("  !! %v", err)
	logs := r.parts.Clusters.Logs(looking, r.options.Cluster.Name, filepath.Join(dir, "cluster"))
	return errors.Join(errStep, err, logs, r.save())
}
