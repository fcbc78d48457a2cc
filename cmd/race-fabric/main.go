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
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/testbed"
)

// options say how often the race is run.
type options struct {
	name   string
	rounds int
	takes  time.Duration
	stack  string
}

func main() {
	var o options
	flags := flag.NewFlagSet("race-fabric", flag.ExitOnError) // without those of the libraries
	flags.StringVar(&o.name, "name", "dratest-race", "beginning of the names of the control planes that are made, and removed in the end")
	flags.IntVar(&o.rounds, "rounds", 100, "how often two clusters race for the device")
	flags.DurationVar(&o.takes, "takes", 500*time.Millisecond, "how long it takes to attach a device")
	flags.StringVar(&o.stack, "scheduler", string(clusters.Stock), "whose schedulers: stock or own")
	_ = flags.Parse(os.Args[1:]) // it ends the program
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	result, err := o.run(ctx)
	stop()
	fmt.Println(result)
	if err != nil {
		fmt.Fprintln(os.Stderr, "race-fabric:", err)
		os.Exit(3)
	}
	if !result.good(o.rounds) {
		os.Exit(1)
	}
}

// run makes two clusters and a fabric between them, has them race, and removes all again.
func (o options) run(ctx context.Context) (result summary, err error) {
	if o.rounds < 1 || o.stack != string(clusters.Stock) && o.stack != string(clusters.Own) {
		return result, errors.New("-rounds must be at least 1, and -scheduler stock or own")
	}
	out := progress.New(os.Stderr)
	program, _, err := images.Local{Progress: out}.OwnProgram(ctx, "dra-composable-controller")
	if err != nil {
		return result, err
	}
	f, err := open(ctx, o.takes)
	defer func() { err = errors.Join(err, f.Close()) }()
	if err != nil {
		return result, err
	}
	r := race{fabric: f}
	for i, name := range clusterNames() {
		b, err := testbed.Open(ctx, testbed.Parts{Clusters: providers.NewClusters(out)}, testbed.Config{Out: os.Stderr, Cluster: clusters.Config{
			Name: o.name + "-" + name, Provider: clusters.ProviderControlPlane, Nodes: 1, Stack: clusters.Stack{Scheduler: clusters.Implementation(o.stack)},
		}})
		defer func() { _ = b.Close(ctx, nil) }() // says itself what is left
		if err != nil {
			return result, err
		}
		if _, err := b.Client.ResourceV1().DeviceClasses().Create(ctx, objects.Class(driver, driver), metav1.CreateOptions{}); err != nil {
			return result, fmt.Errorf("create class: %w", err)
		}
		if err := f.control(program, name, b.Kubeconfig); err != nil {
			return result, err
		}
		r.clients[i] = b.Client
	}
	for n := range o.rounds {
		told, err := r.round(ctx, n)
		if err != nil {
			return result, fmt.Errorf("round %d: %w", n+1, err)
		}
		result.add(told)
		fmt.Fprintf(os.Stderr, "     round %d: %s\n", n+1, told)
	}
	return result, nil
}
