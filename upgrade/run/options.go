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

// Options say which path to take, and how.
type Options struct {
	// Request is the path; its nodes are those of the cluster that is made, and the
	// places of this project's components those of Own.
	Request path.Request
	// Own has the components that become this project's at Request.To.
	Own clusters.Stack
	// Config has the cluster that is made, of Request.From; existing ones are not upgraded.
	testbed.Config

	// Filter selects cases.
	Filter plan.Filter
	// Strict counts known issues as failures.
	Strict bool
	// PauseAfter ends the run after the step of this number, for a look around;
	// zero means never.
	PauseAfter int
	// Resume goes on with the run in ReportDir; Request and Cluster are then its.
	Resume bool
	// StepTimeout is how long a component may take to work after its step; zero
	// means what package change has.
	StepTimeout time.Duration

	// Driver is what the report says of the test driver.
	Driver schema.Driver
	// Identity says in the conformance report what is tested, Command how dratest was started.
	Identity schema.Implementation
	Command  []string
	// Key signs the conformance report; nil signs nothing.
	Key *sign.Key
	// Stop ends the run when it is closed: a step at once, cases once they have
	// done what they are doing.
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

// Vendor has the driver that a vendor's declaration installs.
type Vendor interface {
	// Driver is its name.
	Driver() string
	// Install puts it into a cluster that was just made.
	Install(ctx context.Context, kubeconfig, cluster string) error
	// Find says what cases need to know of it, once the cluster was looked at.
	Find(ctx context.Context, b *testbed.Testbed) (spec.Subject, error)
}

// Parts are what a run is put together from.
type Parts struct {
	Clusters Clusters
	Agents   testbed.Agents
	Cases    []cases.Case
	// Requirements are the promises that cases name; reports say their level and text.
	Requirements []spec.Requirement
	Software     change.Software
	// Vendor is nil where each case brings its own driver.
	Vendor Vendor
}

func (o Options) withDefaults() Options {
	o.Config = o.WithDefaults()
	o.Cluster = o.Cluster.WithDefaults(o.Request.From.String())
	o.Cluster.Version = o.Request.From.String()
	// One case uses what older clients do.
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

// ownPlaces are where components become this project's, the scheduler's first.
func (o Options) ownPlaces() []path.Place {
	var places []path.Place
	for _, node := range o.Request.ControlPlanes {
		if o.Own.Scheduler == clusters.Own {
			places = append(places, path.Place{Component: path.Scheduler, Node: node})
		}
		if o.Own.Controllers == clusters.Own {
			places = append(places, path.Place{Component: path.ControllerManager, Node: node})
		}
	}
	if o.Own.Kubelet != clusters.Own {
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

// nodeNames are those that kind gives to a cluster's nodes.
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

// stepping returns a context that ends with ctx, and when o.Stop is closed.
func (o Options) stepping(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-o.Stop:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}
