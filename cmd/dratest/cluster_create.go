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
	"errors"
	"fmt"
	"maps"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	cliflag "k8s.io/component-base/cli/flag"

	"github.com/dra-conformance/dratest/clusters"
)

// clusterFlags configure a cluster and override the file.
type clusterFlags struct {
	file          string
	name, version string
	image         string
	nodeImage     nodeImageFlags
	provider      string
	workers       int
	nodes         int
	without       []string
	gates         map[string]bool
	runtime       cliflag.ConfigurationMap
	stack         stackFlags
	keep          bool
}

func (f *clusterFlags) add(flags *pflag.FlagSet) {
	f.runtime = cliflag.ConfigurationMap{}
	flags.StringVar(&f.file, "config", "", "cluster configuration file (YAML; \"-\" for stdin)")
	flags.StringVar(&f.name, "name", clusters.DefaultName, "name of the cluster")
	flags.StringVar(&f.version, "version", "", "Kubernetes version, for example v1.37: a release, a prerelease, or the directory of a checkout (default: latest listed)")
	flags.StringVar(&f.provider, "provider", clusters.ProviderKind, "cluster provider: kind (nodes are containers) or controlplane (local processes, simulated nodes)")
	flags.IntVar(&f.workers, "workers", 2, "number of worker nodes (provider kind)")
	flags.IntVar(&f.nodes, "nodes", 0, "number of nodes simulated by kwok (provider controlplane)")
	flags.StringSliceVar(&f.without, "without", nil, "components to omit (provider controlplane): scheduler, controllers")
	flags.StringVar(&f.image, "image", "", "node image, overriding the one for --version")
	f.nodeImage.add(flags)
	flags.Var(cliflag.NewMapStringBool(&f.gates), "feature-gates", "feature gates of all components, for example A=true,B=false")
	flags.Var(&f.runtime, "runtime-config", "APIs to enable or disable, for example resource.k8s.io/v1beta1=true")
	f.stack.add(flags)
	flags.BoolVar(&f.keep, "keep", false, "keep the cluster if its creation fails")
}

// config returns the file overridden by the flags.
func (f *clusterFlags) config(cmd *cobra.Command, t target) (clusters.Config, error) {
	var c clusters.Config
	if f.file != "" {
		var err error
		if c, err = readConfig(f.file, cmd.InOrStdin()); err != nil {
			return clusters.Config{}, err
		}
	}
	given := cmd.Flags().Changed
	if given("name") {
		c.Name = f.name
	}
	if given("version") {
		c.Version = f.version
	}
	if given("provider") {
		c.Provider = f.provider
	}
	if given("nodes") {
		c.Nodes = f.nodes
	}
	if given("without") {
		c.Without = f.without
	}
	if given("workers") {
		c.Workers = &f.workers
	}
	if given("image") {
		c.Image = f.image
	}
	f.nodeImage.over(&c)
	if given("feature-gates") {
		if c.FeatureGates == nil {
			c.FeatureGates = map[string]bool{}
		}
		maps.Copy(c.FeatureGates, f.gates)
	}
	if given("runtime-config") {
		if c.RuntimeConfig == nil {
			c.RuntimeConfig = map[string]string{}
		}
		maps.Copy(c.RuntimeConfig, f.runtime)
	}
	if given("provider") && t.exists() {
		return clusters.Config{}, withCode(codeUsage, errors.New("provider: a cluster that exists needs none: give it, or --kubeconfig and --context, not both"))
	}
	c.Keep = f.keep
	var err error
	if c.Stack, err = f.stack.over(c.Stack); err != nil {
		return clusters.Config{}, err
	}
	if err := c.WithDefaults("").Validate(); err != nil {
		return clusters.Config{}, withCode(codeUsage, fmt.Errorf("the cluster cannot be made as asked:\n%w", err))
	}
	return c, nil
}

func newClusterCreateCommand(t *target) *cobra.Command {
	var flags clusterFlags
	cmd := &cobra.Command{
		Use:   "create",
		Short: "Create a cluster",
		Long: `Create a cluster of real Kubernetes nodes in containers. With --provider
controlplane, etcd, the API server, scheduler and controllers are local processes
that run until the cluster is deleted, and kwok simulates the nodes. If creation
fails or is interrupted, everything is removed unless --keep is set. The path of the
cluster's kubeconfig is printed on standard output.

The --config file has the same settings as the flags, and more:

  name: gates
  version: v1.37
  workers: 2
  nodeImageSource: registry
  featureGates: {DRADeviceTaintRules: true}
  runtimeConfig: {resource.k8s.io/v1alpha3: "true"}
  componentArgs: {scheduler: {v: "6"}}
  kubelet: {logging: {verbosity: 6}}
  stack: {scheduler: own, kubelet: own, kubeletNodes: [worker2]}

or, for a control plane with simulated nodes:

  provider: controlplane
  nodes: 500
  without: [controllers]`,
		Example: `  dratest cluster create --name a --workers 1
  dratest cluster create --provider controlplane --nodes 500 --scheduler own`,
		Args: usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := flags.config(cmd, *t)
			if err != nil {
				return err
			}
			made, err := t.provider(cmd.ErrOrStderr()).Create(cmd.Context(), c)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), made.Kubeconfig)
			return err
		},
	}
	flags.add(cmd.Flags())
	return cmd
}
