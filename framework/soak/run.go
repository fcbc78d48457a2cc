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

package soak

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/yaml"

	"github.com/dra-conformance/dratest/framework/audit"
	"github.com/dra-conformance/dratest/framework/follow"
	"github.com/dra-conformance/dratest/framework/outage"
	"github.com/dra-conformance/dratest/framework/soak/driver"
	"github.com/dra-conformance/dratest/framework/soak/load"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/schema"
)

// Finalizer keeps a claim until the soak ends; used by injected faults.
const Finalizer = "dra-conformance.github.io/soak"

// repairEvery is the interval of repairs, much less than any patience.
const repairEvery = 15 * time.Second

// errStalled: no pod made progress for too long.
var errStalled = errors.New("nothing happens any more")

// Run soaks a cluster and writes and returns the summary. An error means the soak did not get far enough for a
// verdict.
func Run(ctx context.Context, parts Parts, o Options) (Summary, error) {
	started := time.Now()
	o = o.withDefaults(started)
	if err := o.Validate(); err != nil {
		return Summary{}, err
	}
	b := &Bed{ReportDir: o.ReportDir, options: o, parts: parts, retry: &retrier{patience: o.Patience}}
	return testbed.Run(ctx, o.ReportDir, &soaking{bed: b, started: started})
}

// Clean removes an earlier soak's files.
func (s *soaking) Clean() error { return Clean(s.bed.ReportDir, s.bed.parts.Logs) }

// Prepare brings up the cluster and the driver.
func (s *soaking) Prepare(ctx context.Context) error { return s.bed.prepare(ctx) }

// Do soaks the cluster, and writes the summary.
func (s *soaking) Do(ctx context.Context) (Summary, error) {
	s.start()
	err := s.run(ctx)
	var results *driver.Results
	if s.installed != nil {
		results = s.measure()
	}
	summary := s.summary(ctx, err)
	summary.Results = results
	s.failed = summary.Verdict == schema.Failed
	return summary, errors.Join(summary.write(s.bed.ReportDir), summary.writePage(s.bed.ReportDir))
}

// Close removes what Prepare made.
func (s *soaking) Close(ctx context.Context) error { return s.bed.close(ctx, s.failed) }

// Print prints the summary.
func (s *soaking) Print(summary Summary) { summary.Print(s.bed.options.Out, s.bed.ReportDir) }

// Clean removes an earlier soak's files from its report directory, with the logs of these patterns.
func Clean(dir string, logs []string) error {
	old := []string{filepath.Join(dir, SummaryFile), filepath.Join(dir, eventsFile)}
	if !OfAnotherEngine(dir) {
		old = append(old, filepath.Join(dir, reports.HTMLFile))
	}
	for _, pattern := range append([]string{"violation-*.yaml", "warning-*.yaml"}, logs...) {
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return err
		}
		old = append(old, found...)
	}
	for _, name := range old {
		if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("remove results of an earlier soak: %w", err)
		}
	}
	return nil
}

// OfAnotherEngine reports whether a directory has the report of a run, which has a page of the same name.
func OfAnotherEngine(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, reports.JSONFile))
	return err == nil
}

// soaking is a soak.
type soaking struct {
	bed      *Bed
	started  time.Time
	failed   bool
	tracker  *tracker
	findings *findings
	watcher  *Watcher
	uses     *uses
	faults   *faults
	devices  *outage.Meter
	outside  Outside       // nil if there is nothing
	loaded   time.Duration // how long pods came and went
	all      sync.WaitGroup

	mutex     sync.Mutex
	installed *installed // nil if the driver is dra-sim
}

// start readies what watches the testbed.
func (s *soaking) start() {
	b := s.bed
	s.tracker = newTracker()
	s.watcher = NewWatcher(b.Client, b.Namespace, b.Names.Driver, b.options.ReportDir, func(v audit.Violation, file string, number int) {
		switch {
		case !v.Rule.Warning():
			b.Progress.Printf("  !! violation %s (%s)", v, file)
		case number == 1:
			b.Progress.Printf("  -- warning %s (%s); more of these are only counted", v, file)
		}
	})
	s.watcher.retry, s.findings, s.uses = b.retry, s.watcher.findings, s.watcher.uses
	if c := b.options.Companion; c != nil {
		s.outside = c.Watch(s.watcher)
	}
	target := Target{
		Client: b.Client, Namespace: b.Namespace, Driver: b.Names.Driver, Agents: b.agents, Workers: b.workers(), Cluster: b.Cluster,
		Unpublished: s.watcher.Unpublished, Happened: s.happened, Found: b.found,
	}
	if b.options.Installed != nil {
		s.startInstalled()
	}
	s.faults = newFaults(b.options, target, b.retry, func(name string, took time.Duration, err error) {
		if err != nil {
			s.findings.problem("fault %s could not be done: %v", name, err)
			b.Progress.Printf("  !! %s: %v", name, err)
			return
		}
		b.Progress.Printf("  ok %s (%s)", name, took.Round(100*time.Millisecond))
	})
}

// run loads the cluster, lets it settle, and judges it. The error is why it could not; it adds findings to s.findings.
func (s *soaking) run(ctx context.Context) error {
	stop, err := s.observe(ctx)
	if err != nil {
		return err
	}
	defer stop()
	if err := s.load(ctx); err != nil && !errors.Is(err, errStalled) {
		return err
	}
	return s.judge(ctx)
}

func (s *soaking) observe(ctx context.Context) (stop func(), err error) {
	if _, err := s.watcher.read(ctx); err != nil { // the slices, for the first states
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	all := &s.all
	if s.installed != nil {
		if err := s.observeInstalled(ctx); err != nil {
			cancel()
			return nil, err
		}
	} else {
		s.devices = outage.Watch(ctx, s.bed.Client, s.bed.instances)
	}
	all.Go(func() { s.watcher.run(ctx) })
	all.Go(func() {
		follow.Follower[*corev1.Pod]{
			Source: follow.From[*corev1.Pod](s.bed.Client.CoreV1().Pods(s.bed.Namespace), metav1.ListOptions{}),
			Do:     s.bed.retry.request,
			See:    func(state follow.State[*corev1.Pod]) { s.seePods(state.Objects, state.Listed) },
			Broke: func(err error, ended time.Time) {
				if !s.bed.retry.awaySince(ended) {
					s.findings.problem("the watch of pods broke: %v", err)
				}
			},
		}.Run(ctx)
	})
	all.Go(func() { s.say(ctx) })
	if s.outside != nil {
		all.Go(func() { s.outside.Run(ctx) })
	}
	if s.bed.parts.Repair != nil {
		all.Go(func() { wait.UntilWithContext(ctx, s.repair, repairEvery) })
	}
	return func() {
		cancel()
		all.Wait()
		if s.devices != nil {
			s.devices.Stop()
		}
	}, nil
}

// repair repairs leftovers that would hide the soak's subject.
func (s *soaking) repair(ctx context.Context) {
	repaired, err := s.bed.parts.Repair(ctx, s.faults.target)
	s.findings.add(repaired)
	if err != nil && ctx.Err() == nil {
		s.findings.problem("nodes could not be repaired: %v", err)
	}
}

// seePods follows the pods and audits each of their states, since most failed pods are deleted right away.
func (s *soaking) seePods(state map[types.UID]*corev1.Pod, listed time.Time) {
	s.tracker.see(state, listed)
	s.uses.seePods(state, listed)
	all := make([]corev1.Pod, 0, len(state))
	for _, pod := range state {
		all = append(all, *pod)
	}
	s.findings.add(audit.Failed(all))
}

// load creates pods and runs faults until there were enough, or no progress is made.
func (s *soaking) load(ctx context.Context) error {
	b, began := s.bed, time.Now()
	defer func() { s.loaded = time.Since(began) }()
	if s.installed != nil {
		b.Progress.Printf("  .. %.3g pods per minute for %s, at most %d at a time, on %s", s.installed.Rate, b.options.Duration, b.options.AtOnce, strings.Join(b.found.Nodes, ", "))
	}
	loading, stop := context.WithCancelCause(ctx)
	var all sync.WaitGroup
	all.Go(func() { s.faults.run(loading) })
	all.Go(func() {
		wait.UntilWithContext(loading, func(context.Context) {
			if b.retry.since(s.tracker.lastChange()) > b.options.Patience {
				stop(errStalled)
			}
		}, time.Second)
	})
	u := &units{
		client: b.Client, namespace: b.Namespace, names: b.Names, retry: b.retry, tracker: s.tracker, template: b.options.PodTemplate,
		generator: s.generator(), places: make(chan struct{}, b.options.AtOnce),
	}
	if s.installed != nil {
		u.every = time.Duration(float64(time.Minute) / s.installed.Rate)
	}
	err := u.run(loading, enough(b.options, began, s.faults.over))
	stop(nil)
	all.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if errors.Is(context.Cause(loading), errStalled) {
		b.Progress.Printf("  !! no pod has come any further for %s", b.options.Patience)
		return errStalled
	}
	return err
}

func (s *soaking) generator() *load.Generator {
	if s.bed.options.simulated() {
		return load.NewHeld(s.bed.options.Seed, s.bed.kinds)
	}
	g := load.New(s.bed.options.Seed, s.bed.kinds)
	g.Nodes = s.bed.found.Nodes
	return g
}

// judge checks for leftovers when the pods have ended, and again when they are gone.
func (s *soaking) judge(ctx context.Context) error {
	o := s.bed.options
	if err := s.watcher.settle(ctx, o.Patience); err != nil {
		return err
	}
	if s.findings.violations() > 0 {
		s.keepEvents(ctx)
	}
	if o.Keep && s.findings.violations() > 0 {
		return nil // for a look
	}
	if err := s.bed.retry.do(ctx, s.bed.clear, nil); err != nil {
		return err
	}
	if err := s.watcher.settle(ctx, o.Patience); err != nil {
		return err
	}
	if s.outside != nil {
		return s.outside.Settle(ctx, o.Patience)
	}
	if s.installed != nil {
		return s.judgeInstalled(ctx)
	}
	return s.judgeNodes(ctx)
}

// eventsFile has the events of a soak with findings.
const eventsFile = "events.yaml"

func (s *soaking) keepEvents(ctx context.Context) {
	list, err := s.bed.Client.CoreV1().Events(s.bed.Namespace).List(ctx, metav1.ListOptions{})
	if err == nil {
		var data []byte
		if data, err = yaml.Marshal(list.Items); err == nil {
			err = os.WriteFile(filepath.Join(s.bed.options.ReportDir, eventsFile), data, 0o644)
		}
	}
	if err != nil {
		s.findings.problem("keep the events: %v", err)
	}
}

func (s *soaking) summary(ctx context.Context, err error) Summary {
	b, lives := s.bed, s.tracker.all()
	counts, done := s.faults.done()
	s.findings.mutex.Lock()
	defer s.findings.mutex.Unlock()
	sum := Summary{
		SchemaVersion: schemaVersion, Kubernetes: b.Target.Kubernetes, Components: b.Target.Components, Seed: b.options.Seed,
		Started: s.started.UTC(), Seconds: s.loaded.Seconds(), Pods: len(lives), Kinds: count(lives, b.kinds),
		States: s.findings.states, MissedStates: s.findings.missedStates, Reads: s.findings.reads, Faults: counts, Findings: s.findings.list, Problems: s.findings.problems,
	}
	if s.devices != nil {
		sum.NoDevices = s.devices.Take()
	}
	if s.loaded > 0 {
		sum.PodsPerSecond = float64(len(lives)) / s.loaded.Seconds()
	}
	switch {
	case ctx.Err() != nil:
		sum.Problems = append(sum.Problems, "it was interrupted")
	case err != nil:
		sum.Problems = append(sum.Problems, err.Error())
	case done < len(b.options.Faults) || len(lives) < b.options.Pods:
		sum.Problems = append(sum.Problems, fmt.Sprintf("only %d of %d faults were done, and %d of %d pods made", done, len(b.options.Faults), len(lives), b.options.Pods))
	}
	if s.outside != nil {
		seen, problems := s.outside.Count()
		sum.Companion, sum.Seen = b.options.Companion.Name(), seen
		sum.Problems = append(sum.Problems, problems...)
	}
	switch {
	case sum.violations() > 0:
		sum.Verdict = schema.Failed
	case len(sum.Problems) > 0:
		sum.Verdict = schema.Incomplete
	default:
		sum.Verdict = schema.Passed
	}
	return sum
}
