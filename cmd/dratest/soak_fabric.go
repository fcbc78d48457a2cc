package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/suites/soak"
	"github.com/dra-conformance/dratest/suites/soak/faults"
)

// fabricOptions are the flags as options of a soak with a fabric.
func (f *soakFlags) fabricOptions(cmd *cobra.Command, plane faults.ControlPlane) (soak.Options, error) {
	o := f.Options
	o.Out = cmd.OutOrStdout()
	for _, name := range []string{"kubeconfig", "context", "image", "node-image-source", "node-image-registry", "at", "switch", "pod-image", "agent-image"} {
		if cmd.Flags().Changed(name) {
			return o, fmt.Errorf("%s: not with --fabric: its cluster is made of processes, its nodes are simulated", name)
		}
	}
	o.Cluster.Provider, o.Cluster.Nodes = clusters.ProviderControlPlane, f.workers
	var err error
	if o.Cluster.Stack, err = f.stack.over(o.Cluster.Stack); err != nil {
		return o, err
	}
	if f.times < 1 {
		return o, fmt.Errorf("times: %d: must be at least 1", f.times)
	}
	if slices.Contains(f.kill, "controllers") && o.Cluster.Stack.Controllers != clusters.Own {
		return o, errors.New("kill: controllers are a process of their own only with --controllers own")
	}
	kills, err := f.kills(faults.FabricComponents(), func(component string) soak.Fault { return faults.KillingOfFabric(component, plane) })
	if err != nil {
		return o, err
	}
	o.Faults = slices.Repeat(kills, f.times)
	if f.spoil != "" {
		if !slices.Contains(faults.FabricWays(), f.spoil) {
			return o, fmt.Errorf("spoil: unknown way %q, with --fabric known are %s", f.spoil, strings.Join(faults.FabricWays(), ", "))
		}
		o.Faults = append(o.Faults, faults.Spoil{Way: f.spoil})
	}
	return o, o.Validate()
}
