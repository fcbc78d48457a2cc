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

package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/plan"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/reports/schema"
	"github.com/dra-conformance/dratest/reports/sign"
	"github.com/dra-conformance/dratest/upgrade/cases"
	"github.com/dra-conformance/dratest/upgrade/change"
	"github.com/dra-conformance/dratest/upgrade/path"
)

// Options configure an upgrade run.
type Options struct {
	// Request is the path; Run fills in the nodes of the cluster and the places of Own.
	Request path.Request
	// Own has the components switched to this project's at Request.To.
	Own clusters.Stack
	// Config is the cluster to make, of version Request.From; existing clusters are not upgraded.
	testbed.Config

	// Filter selects cases.
	Filter plan.Filter
	// Strict counts known issues as failures.
	Strict bool
	// Expectations are the cases expected to fail. A resumed run keeps its own.
	Expectations []schema.Expectation
	// PauseAfter pauses the run after the step of this number for inspection; zero means never.
	PauseAfter int
	// Resume continues the run in ReportDir, with its Request and Cluster.
	Resume bool
	// StepTimeout bounds the wait for a component after its step; zero means the default of package change.
	StepTimeout time.Duration

	// Driver is the test driver as reported.
	Driver schema.Driver
	// Identity is the tested subject in the conformance report, Command dratest's command line.
	Identity schema.Implementation
	Command  []string
	// Signer signs the conformance report; nil signs nothing.
	Signer sign.Signer
	// Stop ends the run when closed: a step at once, cases after their current part.
	Stop <-chan struct{}
}

// Clusters makes clusters and opens their nodes.
type Clusters interface {
	clusters.Provider
	clusters.Opener
	clusters.Switcher
	// Kubeconfig is the path of a cluster's kubeconfig.
	Kubeconfig(name string) (string, error)
	// Lock keeps other processes from a cluster until release is called.
	Lock(name string) (release func(), err error)
}

// DriverUnderTest installs the driver of a vendor's declaration.
type DriverUnderTest interface {
	// Driver is its name.
	Driver() string
	// Install installs it into a new cluster.
	Install(ctx context.Context, kubeconfig, cluster string) error
	// Find returns the driver under test, after discovery of the cluster.
	Find(ctx context.Context, b *testbed.Testbed) (spec.DriverUnderTest, error)
}

// Parts are the dependencies of a run.
type Parts struct {
	Clusters Clusters
	Agents   testbed.Agents
	Cases    []cases.Case
	// Requirements are the requirements of cases; reports have their level and text.
	Requirements []spec.Requirement
	Software     change.Software
	// DriverUnderTest is nil if each case brings its own driver.
	DriverUnderTest DriverUnderTest
}

func (o Options) withDefaults() Options {
	o.Config = o.WithDefaults()
	o.Cluster = o.Cluster.WithDefaults(o.Request.From.String())
	o.Cluster.Version = o.Request.From.String()
	// For the case with requests of older clients.
	o.Cluster.RuntimeConfig = map[string]string{"resource.k8s.io/v1beta1": "true", "resource.k8s.io/v1beta2": "true"}
	o.Cluster.PlainScheduler = true // other versions, or it without a gate, would not start with a file of ours
	o.Cluster.FeatureGates = map[string]bool{}
	for gate, on := range o.Request.MadeWith {
		o.Cluster.FeatureGates[string(gate)] = on
	}
	o.Request.ControlPlanes, o.Request.Workers = nodeNames(o.Cluster)
	o.Request.Own = o.ownPlaces()
	return o
}

// ownPlaces are the places of Own, the scheduler's first.
func (o Options) ownPlaces() []path.Place {
	var places []path.Place
	for _, node := range o.Request.ControlPlanes {
		if o.Own.Scheduler == spec.Own {
			places = append(places, path.Place{Component: path.Scheduler, Node: node})
		}
		if o.Own.Controllers == spec.Own {
			places = append(places, path.Place{Component: path.ControllerManager, Node: node})
		}
	}
	if o.Own.Kubelet != spec.Own {
		return places
	}
	nodes := slices.Concat(o.Request.ControlPlanes, o.Request.Workers)
	for _, name := range o.Own.KubeletNodes {
		if !slices.Contains(nodes, name) {
			name = o.Cluster.Name + "-" + name // as "dratest run" takes it
		}
		places = append(places, path.Place{Component: path.Kubelet, Node: name})
	}
	if len(o.Own.KubeletNodes) > 0 {
		return places
	}
	for _, node := range nodes {
		places = append(places, path.Place{Component: path.Kubelet, Node: node})
	}
	return places
}

// nodeNames are kind's names of a cluster's nodes.
func nodeNames(c clusters.Config) (controlPlanes, workers []string) {
	for i := range *c.Workers {
		name := c.Name + "-worker"
		if i > 0 {
			name += fmt.Sprint(i + 1)
		}
		workers = append(workers, name)
	}
	return []string{c.Name + "-control-plane"}, workers
}

// Validate returns all problems of the options at once.
func (o Options) Validate() error {
	errs := []error{o.Config.Validate()}
	if o.Existing() {
		errs = append(errs, errors.New("kubeconfig: only a cluster created by dratest can be upgraded"))
	}
	if o.PauseAfter < 0 {
		errs = append(errs, fmt.Errorf("pause after: %d: must not be negative", o.PauseAfter))
	}
	if o.StepTimeout < 0 {
		errs = append(errs, fmt.Errorf("step timeout: %s: must not be negative", o.StepTimeout))
	}
	if o.Cluster.Workers != nil && *o.Cluster.Workers < 1 {
		errs = append(errs, errors.New("workers: there must be one for the cases' pods"))
	}
	return errors.Join(errs...)
}

// stepping returns a context ending with ctx, and when o.Stop is closed.
func (o Options) stepping(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	select {
	case <-o.Stop: // no part starts anymore
		cancel()
		return ctx, cancel
	default:
	}
	go func() {
		select {
		case <-o.Stop:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}
