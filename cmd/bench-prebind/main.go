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
	"syscall"

	"k8s.io/client-go/kubernetes"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/clusters/providers"
	"github.com/dra-conformance/dratest/framework/testbed"
)

// options say what is measured.
type options struct {
	name               string
	pods, nodes        int
	events, heldEvents int
}

func main() {
	var o options
	flags := flag.NewFlagSet("bench-prebind", flag.ExitOnError) // without those of the libraries
	flags.StringVar(&o.name, "name", "dratest-bench-prebind", "name of the control plane that is made, and removed in the end")
	flags.IntVar(&o.pods, "pods", 1000, "pods that wait in PreBind")
	flags.IntVar(&o.nodes, "nodes", 20, "nodes that kwok simulates; their slices have at most 128 devices each")
	flags.IntVar(&o.events, "events", 10000, "changes of nodes while the pods wait")
	flags.IntVar(&o.heldEvents, "held-events", 2000, "changes of nodes while a pod is held in Filter, for control")
	_ = flags.Parse(os.Args[1:]) // it ends the program
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	good, err := o.run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench-prebind:", err)
		os.Exit(3)
	}
	if !good {
		os.Exit(1)
	}
}

// run says whether both schedulers stay bounded, and prints what was measured.
func (o options) run(ctx context.Context) (good bool, err error) {
	if o.pods < 1 || o.events < 1 || o.heldEvents < 1 || o.nodes < 1 || o.pods > o.nodes*maxDevices {
		return false, fmt.Errorf("-pods, -events, -held-events and -nodes must be at least 1, and there are %d devices on a node", maxDevices)
	}
	good = true
	for _, whose := range []clusters.Implementation{clusters.Stock, clusters.Own} {
		r, err := o.measure(ctx, whose)
		if err != nil {
			return false, fmt.Errorf("scheduler %s: %w", whose, err)
		}
		fmt.Printf("%s: %s\n", whose, r)
		for _, problem := range r.problems() {
			good = false
			fmt.Printf("%s: %s\n", whose, problem)
		}
	}
	return good, nil
}

// measure makes a control plane for one scheduler, and removes it.
func (o options) measure(ctx context.Context, whose clusters.Implementation) (r result, err error) {
	out := progress.New(os.Stderr)
	b, err := testbed.Open(ctx, testbed.Parts{Clusters: providers.NewClusters(out)}, testbed.Config{Out: os.Stderr, Cluster: clusters.Config{
		Name: o.name, Provider: clusters.ProviderControlPlane, Nodes: o.nodes, Without: []string{clusters.WithoutScheduler, clusters.WithoutControllers},
	}})
	defer func() { err = errors.Join(err, b.Close(ctx, nil)) }()
	if err != nil {
		return r, err
	}
	hold, err := newHolder()
	if err != nil {
		return r, err
	}
	defer hold.close()
	s, err := startScheduler(ctx, out, whose, b, hold.url)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	return bench{o, b.Client, s, hold}.run(ctx)
}

// bench is a control plane with a scheduler whose Filter can be held.
type bench struct {
	options
	client    kubernetes.Interface
	scheduler *scheduler
	hold      *holder
}
