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

package kubelets

import (
	"context"
	"errors"
	"time"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/outage"
	"github.com/dra-conformance/dratest/framework/testbed"
)

const (
	// switchDriver is the name suffix of the measuring drivers.
	switchDriver = "switch.dra-conformance.github.io"
	// returnTime bounds the time until slices are published again after a switch; the published helper
	// library takes half of it.
	returnTime = time.Minute
)

// Switcher switches the kubelets of clusters.
type Switcher interface {
	clusters.Switcher
	// Kubeconfig is the path of a cluster's kubeconfig.
	Kubeconfig(name string) (string, error)
}

// Measured is a cluster after a switch.
type Measured struct {
	Done []clusters.Switched
	// Workers are the nodes with drivers. Away is the time they had no devices.
	Workers []string
	Away    outage.Seconds
}

// Switch switches a cluster with a driver of each kind on its workers, and measures how long their
// devices are missing. The agents hosting them stay. Measured.Done is set even after an error.
func Switch(ctx context.Context, p Switcher, agents testbed.Agents, name string, to clusters.Stack) (m Measured, err error) {
	kubeconfig, err := p.Kubeconfig(name)
	if err != nil {
		return m, err
	}
	b, err := testbed.Open(ctx, testbed.Parts{Agents: agents}, testbed.Config{Kubeconfig: kubeconfig})
	if err != nil {
		return m, err
	}
	if err := b.Look(ctx); err != nil {
		return m, err
	}
	m.Workers = b.Target.Workers()
	if err := b.InstallAgents(ctx, m.Workers); err != nil {
		return m, err
	}
	agent, err := b.Agents(ctx)
	if err != nil {
		return m, err
	}
	instances, err := outage.Start(ctx, b.Client, agent, switchDriver, m.Workers)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, outage.Stop(context.WithoutCancel(ctx), agent, instances)) }()
	meter := outage.Watch(ctx, b.Client, instances)
	defer meter.Stop()
	if m.Done, err = p.Switch(ctx, name, to); err != nil {
		return m, err
	}
	waiting, cancel := context.WithTimeout(ctx, returnTime)
	defer cancel()
	if err := meter.Await(waiting); err != nil {
		return m, err
	}
	m.Away = meter.Take()
	return m, nil
}
