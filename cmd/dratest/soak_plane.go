package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/soak"
	"github.com/dra-conformance/dratest/framework/soak/faults"
)

// planeSoak is a kind of soak on a control plane of processes, with simulated nodes.
type planeSoak struct {
	// flag chooses it.
	flag string
	// components can be killed, injections are its other faults.
	components []string
	injections []faults.Inject
	killing    func(component string, plane faults.ControlPlane) soak.Fault
	// not are flags that make no sense for it beside those that make none for any.
	not []string
}

func fabricSoak(when soak.WhenAttached) planeSoak {
	return planeSoak{flag: "fabric", components: faults.FabricComponents(when), injections: faults.FabricInjections(), killing: faults.KillingOfFabric}
}

func classicSoak() planeSoak {
	return planeSoak{flag: "classic", components: faults.ClassicComponents(), injections: faults.ClassicInjections(), killing: faults.KillingOfClassic, not: []string{"scheduler"}}
}

// planeOptions are the flags as options of such a soak.
func (f *soakFlags) planeOptions(cmd *cobra.Command, plane faults.ControlPlane, kind planeSoak) (soak.Options, error) {
	o := f.Options
	o.Out = cmd.OutOrStdout()
	if o.Fabric != "" && o.Classic {
		return o, errors.New("fabric, classic: choose one of them")
	}
	for _, name := range []string{"kubeconfig", "context", "image", "node-image-source", "node-image-registry", "at", "switch", "pod-image", "agent-image"} {
		if cmd.Flags().Changed(name) {
			return o, fmt.Errorf("%s: not with --%s: its cluster is made of processes, its nodes are simulated", name, kind.flag)
		}
	}
	for _, name := range kind.not {
		if cmd.Flags().Changed(name) {
			return o, fmt.Errorf("%s: not with --%s, which starts what it needs itself", name, kind.flag)
		}
	}
	o.Cluster.Provider, o.Cluster.Nodes = clusters.ProviderControlPlane, f.workers
	var err error
	if o.Cluster.Stack, err = f.stack.over(o.Cluster.Stack); err != nil {
		return o, err
	}
	if o.Classic { // which starts a scheduler of its own
		o.Cluster.Without, o.Cluster.Stack.Scheduler = []string{clusters.WithoutScheduler}, ""
	}
	if f.times < 1 {
		return o, fmt.Errorf("times: %d: must be at least 1", f.times)
	}
	if slices.Contains(f.kill, "controllers") && o.Cluster.Stack.Controllers != clusters.Own {
		return o, errors.New("kill: controllers are a process of their own only with --controllers own")
	}
	kills, err := f.kills(kind.components, func(component string) soak.Fault { return kind.killing(component, plane) })
	if err != nil {
		return o, err
	}
	o.Faults = slices.Repeat(kills, f.times)
	if f.spoil != "" {
		fault, err := faults.Find(kind.injections, f.spoil)
		if err != nil {
			return o, fmt.Errorf("spoil: with --%s: %w", kind.flag, err)
		}
		o.Faults = append(o.Faults, fault.With(f.PodImage))
	}
	return o, o.Validate()
}
