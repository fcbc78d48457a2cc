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
	"github.com/dra-conformance/dratest/drivers/sim/client"
	"github.com/dra-conformance/dratest/framework/testbed"
)

// options say what is measured.
type options struct {
	name, out                    string
	pods, claims, rounds, blocks int
	control                      bool
}

func main() {
	var o options
	flags := flag.NewFlagSet("bench-node", flag.ExitOnError) // without those of the libraries
	flags.StringVar(&o.name, "name", "dratest-bench-node", "name of the cluster that is made, and removed in the end")
	flags.StringVar(&o.out, "out", "", "file for the results as JSON")
	flags.IntVar(&o.pods, "pods", 100, "pods on a node")
	flags.IntVar(&o.claims, "claims", 1000, "claims to be made from a template at a time; events of more than 1000 pods may be lost")
	flags.IntVar(&o.rounds, "rounds", 5, "how often pods are started on each node")
	flags.IntVar(&o.blocks, "blocks", 5, "how often stock, own, own and stock controllers make the claims")
	flags.BoolVar(&o.control, "control", false, "measure stock against stock as well, and print beside each ratio what comes of nothing; takes twice as long")
	_ = flags.Parse(os.Args[1:]) // it ends the program
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := o.run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench-node:", err)
		os.Exit(3)
	}
}

// results are what was measured, for Kubernetes' own components and for ours.
type results struct {
	comparison

	// Control is the same with Kubernetes' own components on both sides.
	Control *comparison `json:"control,omitempty"`
}

// comparison is of two sides.
type comparison struct {
	Kubelets    sides[kubeletResult]    `json:"kubelets"`
	Controllers sides[controllerResult] `json:"controllers"`
}

// sides are the results of both; Own is the second stock side of a control.
type sides[T any] struct {
	Stock T `json:"stock"`
	Own   T `json:"own"`
}

// bench is a cluster to measure in.
type bench struct {
	options
	testbed  *testbed.Testbed
	client   kubernetes.Interface
	drivers  *client.Client
	switcher clusters.Switcher
	// nodes are the two workers.
	nodes [2]string
}

func (o options) run(ctx context.Context) (err error) {
	if o.pods < 1 || o.claims < 1 || o.rounds < 1 || o.blocks < 1 {
		return errors.New("-pods, -claims, -rounds and -blocks must be at least 1")
	}
	b, err := o.open(ctx)
	defer func() { err = errors.Join(err, b.testbed.Close(ctx, nil)) }()
	if err != nil {
		return err
	}
	defer b.drivers.Close()
	var r results
	if r.comparison, err = b.compare(ctx, clusters.Own); err != nil {
		return err
	}
	if o.control {
		c, err := b.compare(ctx, clusters.Stock)
		if err != nil {
			return fmt.Errorf("control: %w", err)
		}
		r.Control = &c
	}
	if o.out != "" {
		if err := r.write(o.out); err != nil {
			return err
		}
	}
	r.print(os.Stdout)
	return nil
}

// compare measures stock components, and others beside them.
func (b *bench) compare(ctx context.Context, others clusters.Implementation) (c comparison, err error) {
	if c.Kubelets, err = b.kubelets(ctx, others); err != nil {
		return c, fmt.Errorf("measure kubelets: %w", err)
	}
	if c.Controllers, err = b.controllers(ctx, others); err != nil {
		return c, fmt.Errorf("measure controllers: %w", err)
	}
	return c, nil
}

// open makes the cluster, whose testbed must be closed also where the rest fails.
func (o options) open(ctx context.Context) (*bench, error) {
	provider := providers.NewClusters(progress.New(os.Stderr))
	b := &bench{options: o, switcher: provider, nodes: [2]string{o.name + "-worker", o.name + "-worker2"}}
	config := clusters.Config{
		Name: o.name,
		// dratest's own limit of requests would be what is measured of the controllers.
		ComponentArgs: map[string]map[string]string{"controller-manager": {"kube-api-qps": "2000", "kube-api-burst": "4000"}},
	}
	var err error
	b.testbed, err = testbed.Open(ctx, testbed.Parts{Clusters: provider, Agents: testbed.Sim{}}, testbed.Config{Cluster: config, Out: os.Stderr})
	if err != nil {
		return b, err
	}
	b.client = b.testbed.Client
	if err := b.testbed.Install(ctx, b.nodes[:]); err != nil {
		return b, err
	}
	b.drivers, err = client.New(b.testbed.REST)
	return b, err
}
