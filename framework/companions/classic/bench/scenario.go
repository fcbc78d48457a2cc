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

package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/images"
	"github.com/dra-conformance/dratest/framework/companions/classic"
	"github.com/dra-conformance/dratest/framework/harness/classicdra"
	"github.com/dra-conformance/dratest/framework/perf"
	"github.com/dra-conformance/dratest/framework/spec"
)

const (
	driver    = perf.DriverName
	namespace = "default"
	// singles is how many single pods with a claim a round binds, and as many without.
	singles = 7
	// takes is how long the driver needs to allocate a device.
	takes = 10 * time.Millisecond
	// rest is how long requests are counted while nothing changes.
	rest = time.Minute
	// patience bounds each wait.
	patience = 5 * time.Minute

	schedulerName, schedulerUser, schedulerLog = "default-scheduler", "system:kube-scheduler", "scheduler.log"
	driverAccount, driverUser, driverLog       = "perf-classic", "system:serviceaccount:" + namespace + ":" + driverAccount, "driver.log"
)

// Scenario measures dra-scheduler and dra-classic-driver, with a workload's devices on each node.
func Scenario() perf.Scenario {
	return perf.Scenario{
		Prepare: prepare, Blocks: 3, CandidateOnly: true,
		Cluster: func(c *clusters.Config) error {
			c.Without, c.Stack.Scheduler = []string{spec.Scheduler}, ""
			return nil
		},
	}
}

// bench is a control plane with a scheduler and a driver of classic DRA.
type bench struct {
	perf.Workload

	client kubernetes.Interface
	kinds  dynamic.Interface
	pods   *perf.PodTimes
	log    string // of the scheduler
	rounds int
}

func prepare(ctx context.Context, s perf.Site) (perf.Measure, error) {
	if s.Pods > s.Nodes*s.Devices {
		return nil, fmt.Errorf("%d pods need more than %d devices on each of %d nodes", s.Pods, s.Devices, s.Nodes)
	}
	programs, err := classic.Find(ctx, images.Local{Progress: s.Progress})
	if err != nil {
		return nil, err
	}
	programs.Kubeconfig, programs.Context = s.Kubeconfig, s.Context
	if _, err := programs.Install(ctx, s.REST); err != nil { // it goes with the control plane
		return nil, err
	}
	b := &bench{Workload: s.Workload, client: s.Client, log: filepath.Join(s.Dir, schedulerLog)}
	if b.kinds, err = dynamic.NewForConfig(s.REST); err != nil {
		return nil, fmt.Errorf("make a client: %w", err)
	}
	if err := b.createObjects(ctx); err != nil {
		return nil, err
	}
	watching, stop := context.WithCancel(ctx)
	s.Later(func(context.Context) error { stop(); return nil })
	if b.pods, err = perf.WatchPods(watching, s.Client.CoreV1().RESTClient(), namespace); err != nil {
		return nil, err
	}
	for _, what := range b.processes() {
		// Programs add to logs, and attempts are counted in one of them.
		if err := os.Remove(filepath.Join(s.Dir, what.Log)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		process, err := programs.Start(s.Dir, what)
		s.Later(func(context.Context) error { return process.Remove() })
		if err != nil {
			return nil, err
		}
	}
	if err := s.Progress.Step("wait until controllers have looked at all nodes", calm, func() error { return b.settled(ctx) }); err != nil {
		return nil, err
	}
	_, err = b.bindSingle(ctx, "first", 1) // excludes the programs' start
	return b.round, err
}

func (b *bench) processes() []classicdra.ProcessConfig {
	var nodes []string
	for i := range b.Nodes {
		nodes = append(nodes, fmt.Sprintf("node-%d", i)) // as the provider calls them
	}
	return []classicdra.ProcessConfig{
		{Scheduler: schedulerName, User: schedulerUser, Log: schedulerLog},
		{Driver: classicdra.DriverConfig{Name: driver, Devices: b.Devices, Nodes: nodes, Takes: takes}, User: driverUser, Log: driverLog},
	}
}

// round binds single pods, then many, and counts requests while these are bound and while another
// pod waits.
func (b *bench) round(ctx context.Context) (map[perf.Metric]float64, error) {
	b.rounds++
	added, attempts, err := b.singles(ctx)
	if err != nil {
		return nil, err
	}
	values := map[perf.Metric]float64{perf.AddedMax: slices.Max(added).Seconds(), perf.AddedAttempts: float64(slices.Max(attempts))}
	group := fmt.Sprintf("round-%d", b.rounds)
	if err := b.many(ctx, group, values); err != nil {
		return nil, err
	}
	bound, err := b.atRest(ctx)
	if err != nil {
		return nil, err
	}
	waiting, err := b.waiting(ctx)
	if err != nil {
		return nil, err
	}
	values[perf.RestRequests], values[perf.WaitingRequests] = bound.scheduler+bound.driver, waiting.scheduler+waiting.driver
	return values, b.remove(ctx, group)
}
