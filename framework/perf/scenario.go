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
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/client-go/discovery"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/framework/testbed"
)

// Scenario measures a workload with more than pods on simulated nodes, for example a companion
// program.
type Scenario struct {
	// Cluster adapts the cluster of a side. Nil uses a control plane with the workload's nodes.
	Cluster func(*clusters.Config) error
	// Agents host drivers on the nodes; nil for none.
	Agents testbed.Agents
	// Prepare prepares a cluster and returns the function measuring a round. It registers cleanup with
	// Testbed.Later.
	Prepare func(ctx context.Context, s Site) (Measure, error)
	// Blocks is the maximum number of measured blocks.
	Blocks int
	// CandidateOnly skips an identical reference.
	CandidateOnly bool
}

// Measure measures a round.
type Measure func(ctx context.Context) (map[Metric]float64, error)

// Site is the environment for the rounds of one side.
type Site struct {
	*testbed.Testbed
	Workload

	// Dir is for logs.
	Dir string
}

func (s Scenario) sides() []Side {
	if s.CandidateOnly {
		return []Side{Candidate}
	}
	return []Side{Reference, Candidate}
}

// cluster returns the control plane of a side, as adapted by a scenario.
func (o Options) cluster(w Workload, side Side) clusters.Config {
	variant := o.Reference
	if side == Candidate {
		variant = o.Candidate
	}
	return clusters.Config{
		Name: o.Cluster.Name + "-" + string(side), Provider: clusters.ProviderControlPlane, Nodes: w.Nodes,
		Version: cmp.Or(variant.Version, o.Cluster.Version), Stack: variant.Stack, Programs: variant.Programs, ComponentArgs: verbosity(),
	}
}

// bringUp creates the cluster of a side. A control plane has no kubelets.
func (o Options) bringUp(ctx context.Context, agents testbed.Agents, c clusters.Config) (*testbed.Testbed, error) {
	if c.Provider == clusters.ProviderControlPlane {
		c.Stack.Kubelet, c.Stack.KubeletNodes = "", nil
	}
	return testbed.Open(ctx, testbed.Parts{Clusters: o.Clusters, Agents: agents}, testbed.Config{Out: o.Out, Cluster: c})
}

// measureScenario measures a scenario's rounds alternately on both sides.
func (o Options) measureScenario(ctx context.Context, p *progress.Printer, w Workload, record *Record) (err error) {
	scenario, known := o.Scenarios[w.Scenario]
	if !known {
		return fmt.Errorf("there is no scenario %q", w.Scenario)
	}
	rounds := map[Side]Measure{}
	for _, side := range scenario.sides() {
		config := o.cluster(w, side)
		if scenario.Cluster != nil {
			if err := scenario.Cluster(&config); err != nil {
				return err
			}
		}
		b, openErr := o.bringUp(ctx, scenario.Agents, config)
		defer func() { err = errors.Join(err, b.Close(ctx, nil)) }()
		if openErr != nil {
			return openErr
		}
		if record.Kubernetes, err = kubernetesOf(ctx, b); err != nil {
			return err
		}
		if rounds[side], err = scenario.Prepare(ctx, Site{b, w, o.ReportDir}); err != nil {
			return fmt.Errorf("%s: %w", side, err)
		}
	}
	blocks := min(o.Blocks, scenario.Blocks)
	for block := range blocks {
		for _, side := range turns(scenario.sides(), block) {
			start := time.Now()
			values, err := rounds[side](ctx)
			if err != nil {
				return fmt.Errorf("%s: %w", side, err)
			}
			record.Rounds = append(record.Rounds, Round{Workload: w.Name, Block: block, Side: side, Values: values})
			p.Printf("  %s %d/%d: %s (%s)", w.Name, block+1, blocks, side, time.Since(start).Round(time.Second))
		}
	}
	return nil
}

// kubernetesOf returns a cluster's Kubernetes version.
func kubernetesOf(ctx context.Context, b *testbed.Testbed) (string, error) {
	version, err := discovery.ToDiscoveryInterfaceWithContext(b.Client.Discovery()).ServerVersionWithContext(ctx)
	if err != nil {
		return "", fmt.Errorf("get the version of Kubernetes: %w", err)
	}
	return version.GitVersion, nil
}
