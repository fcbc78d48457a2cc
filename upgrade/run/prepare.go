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
	"path/filepath"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/harness/undertest"
	"github.com/dra-conformance/dratest/framework/outage"
	"github.com/dra-conformance/dratest/framework/probe"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/upgrade/change"
	"github.com/dra-conformance/dratest/upgrade/path"
)

// apiTime bounds the wait for a changed API server.
const apiTime = 2 * time.Minute

// outageDriver is the suffix of the measuring drivers' names.
const outageDriver = "upgrade.dra-conformance.github.io"

// changer does steps; change.Cluster does.
type changer interface {
	Provide(ctx context.Context, p path.Path) error
	Do(ctx context.Context, step path.Step) (change.Done, error)
}

// Prepare makes the cluster, or finds the one to resume, and prepares it for the steps.
func (r *run) Prepare(ctx context.Context) (err error) {
	ctx, cancel := r.options.stepping(ctx)
	defer cancel()
	o := r.options
	config := o.Config
	config.Keep, config.Reuse = true, o.Resume
	r.testbed, err = testbed.Open(ctx, testbed.Parts{Clusters: r.parts.Clusters, Agents: r.parts.Agents}, config)
	if err != nil {
		return err
	}
	// A run to be resumed keeps its cluster for the next attempt.
	r.remove = !o.Resume && !o.Keep
	name := o.Cluster.Name
	machines, err := r.parts.Clusters.Machines(ctx, name)
	if err != nil {
		return err
	}
	if err := sameNodes(machines, o.Request); err != nil {
		return err
	}
	r.changer = change.Cluster{
		Name: name, Client: r.testbed.Client, Machines: machines, Software: r.parts.Software, Switcher: r.parts.Clusters, Timeout: o.StepTimeout,
		Down: func(context.Context, path.Step) error { return r.down() },
	}
	err = r.testbed.Progress.Step("put the software of all steps on the nodes", 30*time.Second, func() error { return r.changer.Provide(ctx, r.path) })
	if err != nil {
		return err
	}
	return r.install(ctx)
}

// sameNodes checks that the path is for the cluster's nodes.
func sameNodes(machines []clusters.Machine, r path.Request) error {
	var names []string
	for _, m := range machines {
		names = append(names, m.String())
	}
	want := slices.Concat(r.ControlPlanes, r.Workers)
	slices.Sort(names)
	slices.Sort(want)
	if !slices.Equal(names, want) {
		return fmt.Errorf("%w: the cluster has the nodes %v, the upgrade was planned for %v: use another --name", clusters.ErrEnvironment, names, want)
	}
	return nil
}

// install installs the agents on the nodes and runs discovery. A resumed cluster keeps its initial observations.
func (r *run) install(ctx context.Context) error {
	if err := r.awaitAPI(ctx); err != nil {
		return err
	}
	if err := r.testbed.Look(ctx); err != nil {
		return err
	}
	if seen := r.record.Target; seen.Server != "" {
		r.testbed.Target = seen
	}
	if err := r.testbed.Install(ctx, r.testbed.Target.Workers()); err != nil {
		return err
	}
	agents, err := r.parts.Agents.Connect(ctx, r.testbed.REST)
	if err != nil {
		return err
	}
	if err := r.findVendors(ctx); err != nil {
		return err
	}
	if r.instances, err = outage.Start(ctx, r.testbed.Client, agents, outageDriver, r.testbed.Target.Workers()); err != nil {
		return err
	}
	dir, err := filepath.Abs(r.options.ReportDir)
	if err != nil {
		return err
	}
	r.env = harness.Env{
		Config: r.testbed.REST, Plan: spec.Plan{Target: r.testbed.Target}, Agents: agents, Driver: simdriver.New(""),
		Image: r.options.PodImage, ReportDir: dir, Strict: r.options.Strict, Journal: func(spec.Progress) {},
	}
	if r.testbed.Target.DriverUnderTest != nil {
		r.env.Driver = undertest.New(nil)
	}
	return nil
}

// findVendors installs the vendor's driver, if any. A resumed cluster has it.
func (r *run) findVendors(ctx context.Context) error {
	if r.parts.DriverUnderTest == nil || r.options.Resume {
		return nil
	}
	name := r.options.Cluster.Name
	kubeconfig, err := r.parts.Clusters.Kubeconfig(name)
	if err != nil {
		return err
	}
	if err := r.parts.DriverUnderTest.Install(ctx, kubeconfig, name); err != nil {
		return fmt.Errorf("install the driver: %w", err)
	}
	found, err := r.parts.DriverUnderTest.Find(ctx, r.testbed)
	if err != nil {
		return fmt.Errorf("look for the driver: %w", err)
	}
	r.testbed.Target.DriverUnderTest, r.testbed.Target.Disruptable = &found, true // nobody else uses the cluster
	return nil
}

// awaitAPI is for a resumed run, possibly interrupted during a change of the API server.
func (r *run) awaitAPI(ctx context.Context) error {
	var last error
	err := wait.PollUntilContextTimeout(ctx, time.Second, apiTime, true, func(ctx context.Context) (bool, error) {
		last = probe.Reachable(ctx, r.testbed.REST)
		return last == nil, nil
	})
	if err != nil {
		return errors.Join(last, err)
	}
	return nil
}
