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

package explore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/problem"
	"github.com/dra-conformance/dratest/framework/problem/generate"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
)

// Run explores a cluster, writes the summary and returns it. An error means an early end.
func Run(ctx context.Context, parts testbed.Parts, o Options) (Summary, error) {
	o.Config = o.WithDefaults()
	if err := o.Validate(); err != nil {
		return Summary{}, err
	}
	return testbed.Run(ctx, o.ReportDir, &exploring{options: o, parts: parts, coverage: problem.NewCoverage()})
}

// exploring is a running exploration.
type exploring struct {
	options Options
	parts   testbed.Parts
	bed     *testbed.Testbed
	// off lists features missing in the cluster, by their names in problem.Gates.
	off   []string
	slots []*slot
	// replayed is the problem of Options.Replay, replayedID its ID.
	replayed   *problem.Problem
	replayedID string
	// ran is the duration in seconds before a resumption.
	ran float64

	mutex    sync.Mutex
	summary  Summary
	coverage *problem.Coverage
	// next is the number of the next problem; running has the problems in progress, left those without an
	// outcome before a resumption.
	next    uint64
	running map[uint64]bool
	left    []uint64
	// unwanted counts consecutive problems without the selected features.
	unwanted int
	// shrunk counts findings by promise.
	shrunk map[string]int
	// found ends the problems in progress, if set.
	found func()
}

// slot is a namespace for one problem at a time.
type slot struct {
	namespace *corev1.Namespace
	pods      *podWatch
}

// Clean removes the findings of an earlier exploration, or loads its summary for a resumption.
func (e *exploring) Clean() (err error) {
	e.running, e.shrunk = map[uint64]bool{}, map[string]int{}
	if e.options.Replay != "" {
		if e.replayed, e.replayedID, err = read(e.options.Replay); err != nil {
			return clusters.Usage(err)
		}
	}
	if e.options.Resume {
		if e.summary, err = load(e.options.ReportDir, e.options); err != nil {
			return clusters.Usage(err)
		}
		if e.summary.Excused == nil {
			e.summary.Excused = map[string]int{}
		}
		e.next, e.ran, e.left = e.summary.Next, e.summary.Seconds, e.summary.Left
		e.summary.Troubles, e.summary.Left = nil, nil
		return nil
	}
	e.summary = Summary{Seed: e.options.Seed, Features: e.options.Features, Excused: map[string]int{}}
	if e.options.Replay != "" {
		return nil // The directory may contain the replayed exploration.
	}
	old, err := filepath.Glob(filepath.Join(e.options.ReportDir, "finding-*.yaml"))
	for _, name := range append(old, filepath.Join(e.options.ReportDir, SummaryFile)) {
		if removeErr := os.Remove(name); removeErr != nil && !errors.Is(removeErr, os.ErrNotExist) {
			err = errors.Join(err, removeErr)
		}
	}
	return err
}

// gates maps the optional features of problems to those of clusters.
var gates = map[string]spec.Feature{ //nolint:gochecknoglobals // a table
	"AdminAccess":             spec.AdminAccess,
	"ConsumableCapacity":      spec.ConsumableCapacity,
	"DeviceBindingAndStatus":  spec.BindingConditions,
	"DeviceTaintRules":        spec.DeviceTaintRules,
	"DeviceTaints":            spec.DeviceTaints,
	"ExtendedResource":        spec.ExtendedResource,
	"FractionalCapacityRange": spec.FractionalCapacityRange,
	"PartitionableDevices":    spec.PartitionableDevices,
	"PrioritizedList":         spec.PrioritizedList,
}

// namespaceEnd limits the wait for the deletion of an earlier exploration's namespace.
const namespaceEnd = time.Minute

// Prepare brings up the cluster and the namespaces.
func (e *exploring) Prepare(ctx context.Context) (err error) {
	if e.bed, err = testbed.Open(ctx, e.parts, e.options.Config); err != nil {
		return err
	}
	if err := e.bed.Look(ctx); err != nil {
		return err
	}
	for _, name := range problem.ClusterGates() {
		if missing := gates[name].Missing(e.bed.Target); missing != nil {
			e.off = append(e.off, name)
			e.bed.Progress.Printf("  -- problems with %s are left out: %s", gates[name], missing.Text)
		}
	}
	if s := e.summary; e.options.Resume && (s.Kubernetes != e.bed.Target.Kubernetes || !maps.Equal(s.Stack, e.bed.Target.Stack)) {
		return fmt.Errorf("resume: the exploration is of Kubernetes %s %v, this cluster is %s %v", s.Kubernetes, s.Stack, e.bed.Target.Kubernetes, e.bed.Target.Stack)
	}
	e.summary.Kubernetes, e.summary.Stack = e.bed.Target.Kubernetes, e.bed.Target.Stack
	e.cover()
	if err := e.bed.Install(ctx, nil); err != nil {
		return err
	}
	if err := e.remove(ctx); err != nil {
		return fmt.Errorf("remove what an earlier exploration left: %w", err)
	}
	e.bed.Later(e.remove)
	group, creating := errgroup.WithContext(ctx)
	for i := range e.options.Parallel {
		s := &slot{namespace: namespaceObject(fmt.Sprintf("dratest-explore-%d", i)), pods: newPodWatch()}
		e.slots = append(e.slots, s)
		group.Go(func() error {
			created, err := s.namespace, error(nil)
			waited := wait.PollUntilContextTimeout(creating, time.Second, namespaceEnd, true, func(ctx context.Context) (bool, error) {
				created, err = e.bed.Client.CoreV1().Namespaces().Create(ctx, s.namespace, metav1.CreateOptions{})
				return !apierrors.IsAlreadyExists(err), nil
			})
			if err = cmp.Or(err, waited); err != nil {
				return fmt.Errorf("create namespace %s: %w", s.namespace.Name, err)
			}
			s.namespace = created
			_, err = e.bed.Client.CoreV1().ServiceAccounts(created.Name).Create(creating, objects.DefaultAccount(), metav1.CreateOptions{})
			if err != nil && !apierrors.IsAlreadyExists(err) {
				return fmt.Errorf("create the service account of namespace %s: %w", created.Name, err)
			}
			return nil
		})
	}
	return group.Wait()
}

// cover counts the features of the problems before a resumption.
func (e *exploring) cover() {
	for number := range e.next {
		if p := generate.Stored(e.options.Seed, number, e.off); !slices.Contains(e.left, number) && e.options.wanted(p) {
			e.coverage.Add(p)
		}
	}
}

// remove deletes the objects of all problems and the namespaces, unless dratest deletes the whole cluster.
func (e *exploring) remove(ctx context.Context) error {
	if e.bed.Cluster != "" && !e.options.Keep {
		return nil
	}
	client, ours := e.bed.Client, metav1.ListOptions{LabelSelector: label}
	list, err := client.CoreV1().Namespaces().List(ctx, ours)
	if err != nil {
		return fmt.Errorf("list namespaces: %w", err)
	}
	var errs []error
	for i := range list.Items {
		if err := client.CoreV1().Namespaces().Delete(ctx, list.Items[i].Name, metav1.DeleteOptions{}); !apierrors.IsNotFound(err) {
			errs = append(errs, err)
		}
	}
	for _, deletion := range deletions(client, ours) {
		errs = append(errs, deletion(ctx))
	}
	return errors.Join(errs...)
}

// progressEvery is the interval of progress lines.
const progressEvery = 5 * time.Second

// Do runs problems until a limit is reached, and writes the summary.
func (e *exploring) Do(ctx context.Context) (Summary, error) {
	started := time.Now()
	exploring, stop := context.WithCancel(ctx)
	if e.options.Duration > 0 {
		exploring, stop = context.WithTimeout(ctx, e.options.Duration)
	}
	defer stop()
	working, end := context.WithCancel(ctx)
	defer end()
	if e.options.First {
		e.found = end
	}
	watching, stopWatching := context.WithCancel(context.WithoutCancel(ctx))
	var watches, workers sync.WaitGroup
	for _, s := range e.slots {
		watches.Go(func() { s.pods.follow(watching, e.bed.Client, s.namespace.Name) })
		if e.replayed == nil {
			workers.Go(func() { e.work(working, exploring, s) })
		}
	}
	if e.replayed != nil {
		e.replayed.Off = e.off
		workers.Go(func() { e.try(ctx, e.slots[0], 0, e.replayed, renamed(e.replayed, e.replayedID)) })
	}
	finished := make(chan struct{})
	go func() { workers.Wait(); close(finished) }()
	ticker := time.NewTicker(progressEvery)
	defer ticker.Stop()
	var err error
	for done := false; !done; {
		select {
		case <-finished:
			done = true
		case <-ticker.C:
			s := e.sofar(started)
			e.bed.Progress.Printf("  %s", s.line())
			err = s.write(e.summaryPath())
		}
	}
	stopWatching()
	watches.Wait()
	s := e.sofar(started)
	s.judge()
	if ctx.Err() != nil {
		err = errors.Join(err, context.Cause(ctx))
	}
	return s, errors.Join(err, s.write(e.summaryPath()))
}

// sofar returns the current summary.
func (e *exploring) sofar(started time.Time) Summary {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	s := e.summary
	s.Excused = maps.Clone(s.Excused)
	s.Seconds = e.ran + time.Since(started).Seconds()
	s.Coverage = e.coverage.String()
	s.Next = e.next
	s.Left = slices.Concat(s.Left, e.left, slices.Collect(maps.Keys(e.running)))
	slices.Sort(s.Left)
	return s
}

// Close cleans up after Prepare.
func (e *exploring) Close(ctx context.Context) error { return e.bed.Close(ctx, nil) }

// Print prints the summary.
func (e *exploring) Print(s Summary) { s.Print(e.options.Out, e.summaryPath()) }

// summaryPath returns the file of the summary. A replay has its own and keeps the exploration's.
func (e *exploring) summaryPath() string {
	if e.replayed != nil {
		return filepath.Join(e.options.ReportDir, "replay.json")
	}
	return filepath.Join(e.options.ReportDir, SummaryFile)
}

func (e *exploring) findingName(number uint64) string {
	if e.replayed != nil {
		return "replay.yaml"
	}
	return fmt.Sprintf("finding-%d.yaml", number)
}
