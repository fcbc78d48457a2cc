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

package perf

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/reports"
)

// Process names of a control plane.
const (
	etcd           = "etcd"
	apiserver      = "kube-apiserver"
	scheduler      = "kube-scheduler"
	controllers    = "kube-controller-manager"
	ownControllers = "dra-controller-manager"
)

// Clusters creates control planes.
type Clusters interface {
	clusters.Provider
	// Processes returns a cluster's processes by program name.
	Processes(name string) (map[string]clusters.Process, error)
	// Restart kills and restarts programs of a cluster, and returns when they respond.
	Restart(ctx context.Context, name string, programs ...string) error
}

// Options configure a run.
type Options struct {
	// Config has the name prefix of the control planes, completed with the side, and the Kubernetes
	// version.
	testbed.Config

	Clusters  Clusters
	Workloads []Workload
	// Scenarios are those available to workloads.
	Scenarios  map[string]Scenario
	Thresholds []Threshold
	// Reference and Candidate are compared. Equal subjects show the resolution of the comparison.
	Reference Variant
	Candidate Variant
	// Blocks is the number of measurements of each workload on both sides.
	Blocks int
}

// errUnfinished is the problem of a killed run.
var errUnfinished = errors.New("the run did not come to its end")

// Run measures and judges all workloads. After an error or if the process is killed, ReportDir has the
// measurements so far with verdict Incomplete.
func Run(ctx context.Context, o Options) (Record, error) {
	o.Config = o.WithDefaults()
	unlock, err := reports.Lock(o.ReportDir)
	if err != nil {
		return Record{}, err
	}
	defer unlock()
	p := progress.New(o.Out)
	record, err := newRecord(o)
	if err == nil {
		err = os.RemoveAll(filepath.Join(o.ReportDir, ProfilesDir)) // from an earlier run
	}
	for _, w := range o.Workloads {
		if err != nil {
			break
		}
		if err = o.measureSizes(ctx, p, w, &record); err != nil {
			break
		}
	}
	record.finish(o.Thresholds, err)
	return record, errors.Join(err, record.write(o.ReportDir))
}

// measureSizes measures a workload at each size.
func (o Options) measureSizes(ctx context.Context, p *progress.Printer, w Workload, record *Record) error {
	for _, size := range w.sizes() {
		measure := func() error { return o.measure(ctx, p, w, size, record) }
		if w.Scenario != "" {
			measure = func() error { return o.measureScenario(ctx, p, w, record) }
		}
		if err := measure(); err != nil {
			return fmt.Errorf("measure workload %s: %w", NameAt(w.Name, size), err)
		}
		soFar := *record
		soFar.finish(o.Thresholds, errUnfinished)
		if err := soFar.write(o.ReportDir); err != nil {
			return err
		}
	}
	return nil
}

// measure measures a workload's rounds alternately on one control plane per side.
func (o Options) measure(ctx context.Context, p *progress.Printer, w Workload, size int, record *Record) (err error) {
	at := w.at(size)
	sides := map[Side]*fixture{}
	for _, side := range []Side{Reference, Candidate} {
		f, openErr := o.open(ctx, at, side)
		defer func() { err = errors.Join(err, f.close(ctx)) }()
		if openErr != nil {
			return openErr
		}
		sides[side], record.Kubernetes = f, f.version // the candidate's, as it comes last
		if _, err := f.round(ctx, at); err != nil {
			return fmt.Errorf("warm up: %w", err)
		}
	}
	start := time.Now()
	for block := range o.Blocks {
		values := map[Side]map[Metric]float64{}
		for _, side := range turns([]Side{Reference, Candidate}, block) {
			if block == 0 || w.Restart != NoComponent { // otherwise rounds leave no work behind
				if err := settle(ctx, p, sides); err != nil {
					return err
				}
			}
			round, err := sides[side].round(ctx, at)
			if err != nil {
				return fmt.Errorf("%s: %w", side, err)
			}
			round.Workload, round.Size, round.Block, round.Side = w.Name, size, block, side
			values[side], record.Rounds = round.Values, append(record.Rounds, round)
		}
		left := time.Since(start) / time.Duration(block+1) * time.Duration(o.Blocks-block-1)
		p.Printf("  %s %d/%d: %s; %s; %s left", NameAt(w.Name, size), block+1, o.Blocks, brief(Reference, values), brief(Candidate, values), left.Round(time.Second))
	}
	for _, last := range record.Rounds[len(record.Rounds)-len(sides):] {
		if err := sides[last.Side].live(ctx, last.Values); err != nil {
			return fmt.Errorf("%s: %w", last.Side, err)
		}
	}
	return o.profile(ctx, p, sides, at, size, record.missed(o.Thresholds, w.Name, size))
}

// turns returns the sides of a block, alternating the first one.
func turns(sides []Side, block int) []Side {
	if block%2 == 1 {
		slices.Reverse(sides)
	}
	return sides
}

// settle waits until the control planes are idle after setup or restart. With thousands of nodes or
// pods this takes a while.
func settle(ctx context.Context, p *progress.Printer, sides map[Side]*fixture) error {
	const quiet, patience = 0.2, 2 * time.Minute
	used := func() (sum float64, err error) {
		for _, f := range sides {
			now, err := f.spent()
			if err != nil {
				return 0, err
			}
			for _, cpu := range now.cpu {
				sum += cpu
			}
		}
		return sum, nil
	}
	last := math.Inf(-1)
	err := wait.PollUntilContextTimeout(ctx, time.Second, patience, true, func(context.Context) (bool, error) {
		now, err := used()
		more := now - last
		last = now
		return more <= quiet, err
	})
	if wait.Interrupted(err) && ctx.Err() == nil {
		p.Printf("  the control planes still use more than %g s of CPU time a second without anything to do; going on", quiet)
		return nil
	}
	return err
}

func brief(side Side, values map[Side]map[Metric]float64) string {
	v := values[side]
	return fmt.Sprintf("%s %.0f pods/s, %.2f ms scheduler CPU a pod", side, v[PodsPerSecond], 1000*v[SchedulerCPU])
}
