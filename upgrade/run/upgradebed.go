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

// apiTime bounds how long an API server takes to answer that has just been changed.
const apiTime = 2 * time.Minute

// outageDriver ends the names of the drivers that measure.
const outageDriver = "upgrade.dra-conformance.github.io"

// upgradebed is a testbed whose cluster can be changed step by step.
type upgradebed struct {
	*testbed.Testbed

	options Options
	parts   Parts
	path    path.Path

	seen    spec.Target // of a cluster that is gone on with
	changer changer
	env     harness.Env
	// instances are of drivers by which it is measured for how long devices are away.
	instances []outage.Instance
	made      bool         // the cluster, just now
	down      func() error // is done while the kubelet of the step is stopped
}

// changer does steps; change.Cluster does.
type changer interface {
	Provide(ctx context.Context, p path.Path) error
	Do(ctx context.Context, step path.Step) (change.Done, error)
}

// prepare brings all up; what it did has to be closed even if it fails. A cluster that
// is gone on with keeps what was seen of it at first.
func (b *upgradebed) prepare(ctx context.Context) (err error) {
	o := b.options
	config := o.Config
	config.Keep, config.Reuse = true, o.Resume
	b.Testbed, err = testbed.Open(ctx, testbed.Parts{Clusters: b.parts.Clusters, Agents: b.parts.Agents}, config)
	if err != nil {
		return err
	}
	b.made = !o.Resume
	name := o.Cluster.Name
	machines, err := b.parts.Clusters.Machines(ctx, name)
	if err != nil {
		return err
	}
	if err := sameNodes(machines, o.Request); err != nil {
		return err
	}
	b.changer = change.Cluster{
		Name: name, Client: b.Client, Machines: machines, Software: b.parts.Software, Switcher: b.parts.Clusters, Timeout: o.StepTimeout,
		Down: func(context.Context, path.Step) error { return b.down() },
	}
	err = b.Progress.Step("put the software of all steps on the nodes", 30*time.Second, func() error { return b.changer.Provide(ctx, b.path) })
	if err != nil {
		return err
	}
	return b.install(ctx)
}

// sameNodes checks that the path is about the cluster's nodes.
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

// install puts the agents on the nodes and looks at the cluster. A cluster that is
// gone on with has what was seen of it at first.
func (b *upgradebed) install(ctx context.Context) error {
	if err := b.awaitAPI(ctx); err != nil {
		return err
	}
	if err := b.Look(ctx); err != nil {
		return err
	}
	if b.seen.Server != "" {
		b.Target = b.seen
	}
	if err := b.Install(ctx, b.Target.Workers()); err != nil {
		return err
	}
	agents, err := b.parts.Agents.Connect(ctx, b.REST)
	if err != nil {
		return err
	}
	if err := b.findVendors(ctx); err != nil {
		return err
	}
	if b.instances, err = outage.Start(ctx, b.Client, agents, outageDriver, b.Target.Workers()); err != nil {
		return err
	}
	dir, err := filepath.Abs(b.options.ReportDir)
	if err != nil {
		return err
	}
	b.env = harness.Env{
		Config: b.REST, Plan: spec.Plan{Target: b.Target}, Agents: agents, Driver: simdriver.New,
		Image: b.options.PodImage, ReportDir: dir, Strict: b.options.Strict, Journal: func(spec.Progress) {},
	}
	if b.Target.Subject != nil {
		b.env.Driver = undertest.New(nil)
	}
	return nil
}

// findVendors installs the driver of a vendor where the run is about one. A cluster that is
// gone on with has it.
func (b *upgradebed) findVendors(ctx context.Context) error {
	if b.parts.Vendor == nil || !b.made {
		return nil
	}
	name := b.options.Cluster.Name
	kubeconfig, err := b.parts.Clusters.Kubeconfig(name)
	if err != nil {
		return err
	}
	if err := b.parts.Vendor.Install(ctx, kubeconfig, name); err != nil {
		return fmt.Errorf("install the driver: %w", err)
	}
	found, err := b.parts.Vendor.Find(ctx, b.Testbed)
	if err != nil {
		return fmt.Errorf("look for the driver: %w", err)
	}
	b.Target.Subject, b.Target.Disruptable = &found, true // nobody else uses the cluster
	return nil
}

// awaitAPI is for a run that is gone on with, which may have been interrupted while
// the API server was changed.
func (b *upgradebed) awaitAPI(ctx context.Context) error {
	var last error
	err := wait.PollUntilContextTimeout(ctx, time.Second, apiTime, true, func(ctx context.Context) (bool, error) {
		last = probe.Reachable(ctx, b.REST)
		return last == nil, nil
	})
	if err != nil {
		return errors.Join(last, err)
	}
	return nil
}

// close removes what prepare made, also after ctx has ended; the cluster stays
// unless it is to go.
func (b *upgradebed) close(ctx context.Context, remove bool) error {
	if b.Testbed == nil {
		return nil
	}
	if remove {
		b.Later(b.Remove)
	}
	return b.Close(ctx, nil)
}
