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
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/kube"
	"github.com/dra-conformance/dratest/framework/outage"
	"github.com/dra-conformance/dratest/framework/probe"
	"github.com/dra-conformance/dratest/framework/testbed"
)

const (
	// switchDriver ends the names of the drivers that measure.
	switchDriver = "switch.dra-conformance.github.io"
	// returnTime bounds how long slices may take to come back after a switch; the published
	// helper takes half of it.
	returnTime = time.Minute
)

// finder is a provider that knows where its clusters' kubeconfigs are.
type finder interface {
	Kubeconfig(name string) (string, error)
}

// switchAndMeasure switches a cluster whose workers have a driver of each kind, and prints
// for how long these had no devices. The agents that host them stay.
func switchAndMeasure(ctx context.Context, out io.Writer, p clusters.Switcher, name string, to clusters.Stack) (err error) {
	f, ok := p.(finder)
	if !ok {
		return withCode(codeUsage, errors.New("measure: this provider's clusters run no drivers"))
	}
	kubeconfig, err := f.Kubeconfig(name)
	if err != nil {
		return err
	}
	config, err := testbed.ClientConfig(kubeconfig, "")
	if err != nil {
		return err
	}
	client, err := kube.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("use the kubeconfig %s: %w", kubeconfig, err)
	}
	target, err := probe.Target(ctx, config)
	if err != nil {
		return err
	}
	sim := simAgents("")
	if err := sim.Install(ctx, config, target.Workers()); err != nil {
		return fmt.Errorf("install the test driver: %w", err)
	}
	agents, err := sim.Connect(ctx, config)
	if err != nil {
		return err
	}
	instances, err := outage.Start(ctx, client, agents, switchDriver, target.Workers())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stopAll(context.WithoutCancel(ctx), agents, instances)) }()
	meter := outage.Watch(ctx, client, instances)
	defer meter.Stop()
	done, err := p.Switch(ctx, name, to)
	if err := errors.Join(printSwitched(out, done), err); err != nil {
		return err
	}
	waiting, cancel := context.WithTimeout(ctx, returnTime)
	defer cancel()
	if err := meter.Await(waiting); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "no devices on %s: %s\n", strings.Join(target.Workers(), ", "), meter.Take())
	return err
}

func stopAll(ctx context.Context, agents agentapi.AgentClient, instances []outage.Instance) error {
	var errs []error
	for _, i := range instances {
		errs = append(errs, agentapi.Stop(ctx, agents, i.Node, i.Driver))
	}
	return errors.Join(errs...)
}
