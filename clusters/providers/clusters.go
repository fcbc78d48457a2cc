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

package providers

import (
	"context"
	"errors"
	"fmt"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/controlplane"
	"github.com/dra-conformance/dratest/clusters/engine"
	"github.com/dra-conformance/dratest/clusters/host"
	"github.com/dra-conformance/dratest/clusters/images"
	"github.com/dra-conformance/dratest/clusters/kind"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Clusters makes clusters with the provider of their configuration and finds the provider of existing ones by cluster
// name. Features of kind clusters only, such as Machines, come from the embedded provider.
type Clusters struct {
	kind.Provider

	controlPlane controlplane.Provider
	images       images.Local
}

var _ clusters.Provider = (*Clusters)(nil)

// NewClusters returns a provider reporting progress to p.
func NewClusters(p *progress.Printer) *Clusters { return NewClustersWith(p, nil) }

// NewClustersWith is NewClusters with changes to the source of own components, by path in the checkout.
func NewClustersWith(p *progress.Printer, overlay map[string][]byte) *Clusters {
	local := images.Local{Progress: p, Overlay: overlay}
	return &Clusters{
		Provider:     kind.Provider{Images: local, Progress: p},
		controlPlane: controlplane.Provider{Programs: local, Progress: p},
		images:       local,
	}
}

// Create implements clusters.Provider.
func (c *Clusters) Create(ctx context.Context, config clusters.Config) (clusters.Cluster, error) {
	config, err := c.checked(ctx, config)
	if err != nil {
		return clusters.Cluster{}, err
	}
	if config.Provider == clusters.ProviderControlPlane {
		return c.controlPlane.Create(ctx, config)
	}
	if err := c.ensureEngine(ctx); err != nil {
		return clusters.Cluster{}, err
	}
	return c.Provider.Create(ctx, config)
}

// Check returns why Create would refuse a cluster, as far as that can be seen without a container engine.
func (c *Clusters) Check(ctx context.Context, config clusters.Config) error {
	if _, err := c.checked(ctx, config); err != nil {
		return err
	}
	name := config.WithDefaults("").Name
	all, _ := c.List(ctx) // an engine that is not running has no running clusters
	for _, each := range all {
		if each.Name == name && (each.Status == clusters.Running || each.Status == clusters.Creating) {
			return fmt.Errorf("%w: %q: choose another name, or remove it with \"dratest cluster delete %s\"", clusters.ErrExists, name, name)
		}
	}
	return nil
}

// checked is the first part of Create. It replaces the directory of a checkout by its version. With an image of its own a
// cluster may have any version.
func (c *Clusters) checked(ctx context.Context, config clusters.Config) (clusters.Config, error) {
	if config.Image == "" && config.Version != "" {
		found, err := c.images.Version(ctx, config.Version)
		if err != nil {
			return config, err
		}
		if !found.Listed() {
			config.Version = found.Kubernetes
		}
	}
	if err := c.images.CanBuild(config.Stack, config.Version); err != nil {
		return config, err
	}
	return config, c.nameIsFree(config.WithDefaults(""))
}

// nameIsFree returns ErrExists if another provider has a cluster of the name, since commands find the provider by it.
// Each provider checks its own clusters.
func (c *Clusters) nameIsFree(config clusters.Config) error {
	other := clusters.ProviderControlPlane
	taken, err := c.controlPlane.Has(config.Name)
	if config.Provider == clusters.ProviderControlPlane {
		other = clusters.ProviderKind
		_, missing := c.Provider.Kubeconfig(config.Name)
		taken, err = missing == nil, nil
	}
	if err == nil && taken {
		err = fmt.Errorf("%w: provider %s made %q: choose another name, or remove it with \"dratest cluster delete %s\"",
			clusters.ErrExists, other, config.Name, config.Name)
	}
	return err
}

// Digests returns the digests of Kubernetes programs built on this machine.
func (c *Clusters) Digests(ctx context.Context, wanted []spec.Artifact) (spec.Digests, error) {
	return c.images.Digests(ctx, wanted)
}

// ensureEngine starts an installed engine if it is not running. Checking a running one takes a tenth of a second.
func (c *Clusters) ensureEngine(ctx context.Context) error {
	_, err := engine.Engine{}.Run(ctx, "version")
	if errors.Is(err, clusters.ErrEnvironment) {
		return host.Ensure(ctx, c.Progress)
	}
	return err
}
