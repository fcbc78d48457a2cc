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

package race

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/images"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/drivers/fabric"
	"github.com/dra-conformance/dratest/framework/companions/fabric/site"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/testbed"
)

const (
	driver = "race.dra-conformance.github.io"
	model  = "gpu"
	admin  = "admin"
	// takes is the fabric's attach time: long enough for both requests.
	takes = 500 * time.Millisecond
	// refresh and idle are the controllers' intervals: short, because each round waits for them.
	refresh, idle = time.Second, time.Second
)

// Options say how often the clusters race.
type Options struct {
	Clusters clusters.Provider
	// Cluster is the common configuration of the two control planes. Its name is their prefix.
	Cluster clusters.Config
	Rounds  int
	Out     io.Writer
}

// ErrNotExclusive is the error of a race with a violation in a round, or without a rejected loser, which proves
// nothing.
var ErrNotExclusive = errors.New("the device was not handed out as it must be")

// Run creates two clusters sharing a fabric, runs the race, and removes everything.
func Run(ctx context.Context, o Options) error {
	var result summary
	err := o.race(ctx, &result)
	fmt.Fprintln(o.Out, result)
	if err == nil && !result.good(o.Rounds) {
		err = ErrNotExclusive
	}
	return err
}

func (o Options) race(ctx context.Context, result *summary) (err error) {
	program, _, err := images.Local{Progress: progress.New(o.Out)}.OwnProgram(ctx, "dra-composable-controller")
	if err != nil {
		return err
	}
	f, err := open(ctx)
	defer func() { err = errors.Join(err, f.Close()) }()
	if err != nil {
		return err
	}
	r := race{fabric: f}
	for i, name := range clusterNames() {
		c := o.Cluster
		c.Name, c.Provider, c.Nodes = c.Name+"-"+name, clusters.ProviderControlPlane, 1
		b, err := testbed.Open(ctx, testbed.Parts{Clusters: o.Clusters}, testbed.Config{Out: o.Out, Cluster: c})
		defer func() { _ = b.Close(ctx, nil) }() // prints leftovers
		if err != nil {
			return err
		}
		if _, err := b.Client.ResourceV1().DeviceClasses().Create(ctx, objects.Class(driver, driver), metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("create class: %w", err)
		}
		if err := f.control(program, name, b.Kubeconfig); err != nil {
			return err
		}
		r.clients[i] = b.Client
	}
	for n := range o.Rounds {
		reported, err := r.round(ctx, n)
		if err != nil {
			return fmt.Errorf("round %d: %w", n+1, err)
		}
		result.add(reported)
		fmt.Fprintf(o.Out, "     round %d: %s\n", n+1, reported)
	}
	return nil
}

// clusterNames are the fabric's two clients.
func clusterNames() [2]string { return [2]string{"east", "west"} }

func tokenOf(cluster string) string { return "token-of-" + cluster }

// shared is a fabric with one device, and its controllers.
type shared struct{ *site.Site }

// open serves the fabric. Call Close even after an error.
func open(ctx context.Context) (shared, error) {
	config := fabric.Config{
		AdminToken: admin, Models: []fabric.ModelConfig{{Name: model, Count: 1}},
		Script: []fabric.Rule{{Operation: fabric.Attach, Takes: metav1.Duration{Duration: takes}}},
	}
	for _, name := range clusterNames() {
		config.Clusters = append(config.Clusters, fabric.Client{Name: name, Token: tokenOf(name)})
	}
	s, err := site.Open(ctx, config)
	return shared{s}, err
}

func (s shared) control(program, cluster, kubeconfig string) error {
	_, err := s.Control(site.Config{
		Program: program, Client: site.Client{Kubeconfig: kubeconfig, Token: tokenOf(cluster), Driver: driver, Fabric: "fabric"},
		Bind: true, DetachAfter: idle, Refresh: refresh,
	})
	return err
}

// holder is the cluster with the attached device; empty if there is none.
func (s shared) holder(ctx context.Context) (cluster string, err error) {
	state, err := s.As(admin).State(ctx)
	if err != nil {
		return "", err
	}
	for _, d := range state.Devices {
		if d.Phase == fabric.Attached {
			cluster = d.Cluster
		}
	}
	return cluster, nil
}
