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
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/images"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/clusters/providers"
	"github.com/dra-conformance/dratest/drivers/fabric"
	"github.com/dra-conformance/dratest/framework/companions/fabric/site"
	"github.com/dra-conformance/dratest/framework/testbed"
)

const (
	driver                 = "bench.dra-conformance.github.io"
	ours, theirs, admin    = "token-of-this-cluster", "token-of-another-cluster", "token-of-the-administrator"
	refresh                = 2 * time.Second
	detachAfter            = time.Hour // not while this measures
	minDevices, maxPerPool = 2, 10000
	patience               = 3 * time.Minute
)

// options say what is measured.
type options struct {
	name, stack                          string
	nodes, models, devices, pods, atOnce int
	refreshes, changed                   int
	takes                                time.Duration
}

func main() {
	var o options
	flags := flag.NewFlagSet("bench-fabric", flag.ExitOnError) // without those of the libraries
	flags.StringVar(&o.name, "name", "dratest-bench-fabric", "name of the control plane that is made, and removed in the end")
	flags.StringVar(&o.stack, "scheduler", string(clusters.Stock), "whose scheduler: stock or own")
	flags.IntVar(&o.nodes, "nodes", 500, "nodes that kwok simulates")
	flags.IntVar(&o.models, "models", 10, "models of devices, each with a pool")
	flags.IntVar(&o.devices, "devices", 100, "devices of each model")
	flags.IntVar(&o.pods, "pods", 100, "pods that each have a device attached")
	flags.IntVar(&o.atOnce, "at-once", 5, "pods at a time")
	flags.IntVar(&o.refreshes, "refreshes", 20, "looks of the controller at the fabric while nothing changes")
	flags.IntVar(&o.changed, "changed", 3, "pools of which another cluster takes devices between two looks")
	flags.DurationVar(&o.takes, "takes", time.Second, "how long it takes to attach a device")
	_ = flags.Parse(os.Args[1:]) // it ends the program
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	r, err := o.run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench-fabric:", err)
		os.Exit(3)
	}
	fmt.Println(r)
	for _, problem := range r.problems() {
		fmt.Println(problem)
	}
	if len(r.problems()) > 0 {
		os.Exit(1)
	}
}

func (o options) validate() error {
	if o.nodes < 1 || o.models < 1 || o.devices < minDevices || o.devices > maxPerPool || o.pods < 1 || o.atOnce < 1 || o.refreshes < 1 || o.takes < 0 {
		return fmt.Errorf("-nodes, -models, -pods, -at-once and -refreshes must be at least 1, -devices at least %d, -takes not negative", minDevices)
	}
	if o.changed < 1 || o.changed > o.models || o.pods > o.models*(o.devices-1) {
		return errors.New("-changed must be between 1 and -models, and each pod needs a device beside those that another cluster takes")
	}
	if o.stack != string(clusters.Stock) && o.stack != string(clusters.Own) {
		return errors.New("-scheduler must be stock or own")
	}
	return nil
}

// run makes a control plane and a fabric, measures, and removes both.
func (o options) run(ctx context.Context) (r result, err error) {
	if err := o.validate(); err != nil {
		return r, err
	}
	out := progress.New(os.Stderr)
	program, _, err := images.Local{Progress: out}.OwnProgram(ctx, "dra-composable-controller")
	if err != nil {
		return r, err
	}
	b, err := testbed.Open(ctx, testbed.Parts{Clusters: providers.NewClusters(out)}, testbed.Config{Out: os.Stderr, Cluster: clusters.Config{
		Name: o.name, Provider: clusters.ProviderControlPlane, Nodes: o.nodes, Stack: clusters.Stack{Scheduler: clusters.Implementation(o.stack)},
	}})
	defer func() { err = errors.Join(err, b.Close(ctx, nil)) }()
	if err != nil {
		return r, err
	}
	s, err := site.Open(ctx, o.fabric())
	defer func() { err = errors.Join(err, s.Close()) }()
	if err != nil {
		return r, err
	}
	controller, err := s.Control(site.Config{
		Program: program, Client: site.Client{Kubeconfig: b.Kubeconfig, Token: ours, Driver: driver, Fabric: "fabric"},
		Bind: true, DetachAfter: detachAfter, Refresh: refresh,
	})
	if err != nil {
		return r, err
	}
	return bench{o, b.Client, s, controller}.run(ctx)
}

// fabric is the configuration with all devices.
func (o options) fabric() fabric.Config {
	config := fabric.Config{
		Clusters:   []fabric.Client{{Name: "this", Token: ours}, {Name: "another", Token: theirs}},
		AdminToken: admin,
		Script:     []fabric.Rule{{Operation: fabric.Attach, Takes: metav1.Duration{Duration: o.takes}}},
	}
	for i := range o.models {
		config.Models = append(config.Models, fabric.ModelConfig{Name: model(i), Count: o.devices})
	}
	return config
}

func model(i int) string { return fmt.Sprintf("model-%d", i) }
