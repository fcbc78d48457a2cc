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
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/images"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/framework/companions/classic"
	"github.com/dra-conformance/dratest/framework/companions/fabric"
	"github.com/dra-conformance/dratest/framework/companions/fabric/race"
	"github.com/dra-conformance/dratest/framework/soak"
	"github.com/dra-conformance/dratest/framework/soak/faults"
	"github.com/dra-conformance/dratest/framework/spec"
)

// planeSoak is a soak on a control plane of local processes, with simulated nodes.
type planeSoak interface {
	soak.Companion
	// Kills returns the faults killing components, Injections all other faults.
	Kills(plane faults.ControlPlane) []soak.Fault
	Injections() []faults.Inject
}

// killed returns the components killed by faults.
func killed(kills []soak.Fault) []string {
	var names []string
	for _, kill := range kills {
		names = append(names, strings.TrimPrefix(kill.Name(), "kill "))
	}
	return names
}

// plane returns the control-plane soak selected by the flags; nil for a soak of nodes.
func (f *soakFlags) plane() (planeSoak, error) {
	switch {
	case f.fabric != "" && f.classic:
		return nil, errors.New("fabric, classic: choose one of them")
	case f.fabric != "":
		return &fabric.Soak{When: fabric.WhenAttached(f.fabric), Sim: images.Local{Progress: progress.New(f.Out)}.SimProgram}, nil
	case f.classic:
		return &classic.Soak{}, nil
	}
	return nil, nil
}

// raceForDevice is the --fabric value for a race between two clusters.
const raceForDevice = "race"

// race lets two clusters race for a device, --times times.
func (f *soakFlags) race(cmd *cobra.Command, provider clusters.Provider) error {
	var errs []error
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if !slices.Contains([]string{optionsFlag, "fabric", "times", "name", "version", "stack", "scheduler", "controllers"}, flag.Name) {
			errs = append(errs, fmt.Errorf("%s: not with --fabric=%s", flag.Name, raceForDevice))
		}
	})
	if f.times < 1 {
		errs = append(errs, fmt.Errorf("times: %d: must be at least 1", f.times))
	}
	cluster := f.Cluster
	cluster.Name = cmp.Or(cluster.Name, "dratest-race")
	stack, err := f.stack.over(cluster.Stack)
	if err := errors.Join(append(errs, err)...); err != nil {
		return withCode(codeUsage, err)
	}
	cluster.Stack = stack
	defer endOnNextSignal(cmd.Context())()
	err = race.Run(cmd.Context(), race.Options{Clusters: provider, Cluster: cluster, Rounds: f.times, Out: f.Out})
	if errors.Is(err, race.ErrNotExclusive) {
		return withCode(codeCasesFailed, err)
	}
	return err
}

// planeOptions converts the flags for such a soak.
func (f *soakFlags) planeOptions(cmd *cobra.Command, plane faults.ControlPlane, kind planeSoak) (soak.Options, error) {
	o := f.Options
	o.Companion = kind
	for _, name := range []string{"kubeconfig", "context", "in-cluster", "image", "node-image-source", "node-image-registry", "at", "switch", "pod-image", "agent-image"} {
		if cmd.Flags().Changed(name) {
			return o, fmt.Errorf("%s: not with --%s: its cluster is made of processes, its nodes are simulated", name, kind.Name())
		}
	}
	if f.classic && cmd.Flags().Changed("scheduler") {
		return o, fmt.Errorf("scheduler: not with --%s, which starts what it needs itself", kind.Name())
	}
	o.Cluster.Provider, o.Cluster.Nodes = clusters.ProviderControlPlane, f.workers
	var err error
	if o.Cluster.Stack, err = f.stack.over(o.Cluster.Stack); err != nil {
		return o, err
	}
	if f.classic { // it starts its own scheduler
		o.Cluster.Without, o.Cluster.Stack.Scheduler = []string{spec.Scheduler}, ""
	}
	if f.times < 1 {
		return o, fmt.Errorf("times: %d: must be at least 1", f.times)
	}
	if slices.Contains(f.kill, "controllers") && o.Cluster.Stack.Controllers != spec.Own {
		return o, errors.New("kill: controllers are a process of their own only with --controllers own")
	}
	all := kind.Kills(plane)
	known := killed(all)
	kills, err := f.kills(known, func(component string) soak.Fault { return all[slices.Index(known, component)] })
	if err != nil {
		return o, err
	}
	o.Faults = slices.Repeat(kills, f.times)
	if f.spoil != "" {
		fault, err := faults.Find(kind.Injections(), f.spoil)
		if err != nil {
			return o, fmt.Errorf("spoil: with --%s: %w", kind.Name(), err)
		}
		o.Faults = append(o.Faults, fault.With(f.PodImage))
	}
	return o, o.Validate()
}
