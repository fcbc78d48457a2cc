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

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/images"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/clusters/providers"
	"github.com/dra-conformance/dratest/framework/companions/classic"
	"github.com/dra-conformance/dratest/framework/harness/classicdra"
	"github.com/dra-conformance/dratest/framework/testbed"
)

const (
	driver    = "bench.dra-conformance.github.io"
	namespace = "default"
	// devices is how many each node has: enough for a pod to fit most nodes.
	devices = 4
	// patience bounds each wait.
	patience = 5 * time.Minute

	schedulerName, schedulerUser, schedulerLog = "default-scheduler", "system:kube-scheduler", "scheduler.log"
	driverAccount, driverUser, driverLog       = "bench-classic", "system:serviceaccount:" + namespace + ":" + driverAccount, "driver.log"
)

// options say what is measured.
type options struct {
	name, logs                  string
	single, pods, nodes, rounds int
	takes, rest                 time.Duration
}

func main() {
	var o options
	flags := flag.NewFlagSet("bench-classic", flag.ExitOnError) // without those of the libraries
	flags.StringVar(&o.name, "name", "dratest-bench-classic", "name of the control plane that is made, and removed in the end")
	flags.StringVar(&o.logs, "logs", "", "folder in which the logs of scheduler and driver stay; empty for none")
	flags.IntVar(&o.single, "single", 20, "single pods with a claim, and as many without")
	flags.IntVar(&o.pods, "pods", 1000, "pods with a claim in a round")
	flags.IntVar(&o.nodes, "nodes", 500, fmt.Sprintf("nodes that kwok simulates, each with %d devices", devices))
	flags.IntVar(&o.rounds, "rounds", 3, "rounds")
	flags.DurationVar(&o.takes, "takes", 10*time.Millisecond, "how long the driver needs to allocate a device")
	flags.DurationVar(&o.rest, "rest", time.Minute, "for how long requests are counted while nothing changes")
	_ = flags.Parse(os.Args[1:]) // it ends the program
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	r, err := o.run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench-classic:", err)
		os.Exit(3)
	}
	fmt.Printf("%d pods on %d nodes, %s for each device, %d processors\n", o.pods, o.nodes, o.takes, runtime.NumCPU())
	missed, err := report(os.Stdout, r.lines())
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench-classic: print the result:", err)
		os.Exit(3)
	}
	if missed {
		os.Exit(1)
	}
}

func (o options) validate() error {
	if o.single < 1 || o.pods < 1 || o.nodes < 1 || o.rounds < 1 || o.takes < 0 || o.rest <= 0 {
		return errors.New("-single, -pods, -nodes and -rounds must be at least 1, -rest positive, -takes not negative")
	}
	if o.pods > o.nodes*devices {
		return fmt.Errorf("-pods must be at most %d for each of -nodes: so many devices there are", devices)
	}
	return nil
}

// run makes a control plane with a scheduler and a driver, measures, and removes all.
func (o options) run(ctx context.Context) (r result, err error) {
	if err := o.validate(); err != nil {
		return r, err
	}
	out := progress.New(os.Stderr)
	programs, err := classic.Find(ctx, images.Local{Progress: out})
	if err != nil {
		return r, err
	}
	logs, remove, err := o.folder()
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	b, err := testbed.Open(ctx, testbed.Parts{Clusters: providers.NewClusters(out)}, testbed.Config{Out: os.Stderr, Cluster: clusters.Config{
		Name: o.name, Provider: clusters.ProviderControlPlane, Nodes: o.nodes, Without: []string{clusters.WithoutScheduler},
	}})
	defer func() { err = errors.Join(err, b.Close(ctx, nil)) }()
	if err != nil {
		return r, err
	}
	programs.Kubeconfig, programs.Context = b.Kubeconfig, b.Context
	if _, err := programs.Install(ctx, b.REST); err != nil { // it goes with the control plane
		return r, err
	}
	kinds, err := dynamic.NewForConfig(b.REST)
	if err != nil {
		return r, fmt.Errorf("make a client: %w", err)
	}
	m := bench{options: o, client: b.Client, kinds: kinds, out: out, log: filepath.Join(logs, schedulerLog)}
	if err := m.prepare(ctx); err != nil {
		return r, err
	}
	for _, what := range m.processes() {
		var process classicdra.Process
		process, err = programs.Start(logs, what)
		defer func() { err = errors.Join(err, process.Remove()) }()
		if err != nil {
			return r, err
		}
	}
	return m.run(ctx)
}

// folder is the one for logs. remove removes it if they are not to stay.
func (o options) folder() (dir string, remove func() error, err error) {
	if o.logs == "" {
		dir, err = os.MkdirTemp("", "bench-classic-")
		return dir, func() error { return os.RemoveAll(dir) }, err
	}
	// Programs add to logs that they find, and attempts are counted in one of them.
	err = errors.Join(os.MkdirAll(o.logs, 0o750), os.RemoveAll(filepath.Join(o.logs, schedulerLog)), os.RemoveAll(filepath.Join(o.logs, driverLog)))
	return o.logs, func() error { return nil }, err
}

// bench is a control plane with a scheduler and a driver of classic DRA.
type bench struct {
	options
	client kubernetes.Interface
	kinds  dynamic.Interface
	out    *progress.Printer
	log    string // of the scheduler
}

func (b bench) processes() []classicdra.ProcessConfig {
	var nodes []string
	for i := range b.nodes {
		nodes = append(nodes, fmt.Sprintf("node-%d", i)) // as the provider calls them
	}
	return []classicdra.ProcessConfig{
		{Scheduler: schedulerName, User: schedulerUser, Log: schedulerLog},
		{Driver: classicdra.DriverConfig{Name: driver, Devices: devices, Nodes: nodes, Takes: b.takes}, User: driverUser, Log: driverLog},
	}
}
