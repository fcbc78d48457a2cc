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
	"github.com/dra-conformance/dratest/clusters/versions"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Clusters makes clusters on this machine, with the provider that their configuration
// names, and finds by its name the one that made a cluster. What only kind clusters
// have, such as nodes to work on, is that of the embedded provider.
type Clusters struct {
	kind.Provider

	controlPlane controlplane.Provider
}

var _ clusters.Provider = (*Clusters)(nil)

// NewClusters returns a provider that tells p what it does.
func NewClusters(p *progress.Printer) *Clusters { return NewClustersWith(p, nil) }

// NewClustersWith is NewClusters whose own components are built with changes to their
// source, by the paths in the checkout.
func NewClustersWith(p *progress.Printer, overlay map[string][]byte) *Clusters {
	component := func(version string) images.OwnOptions {
		return images.OwnOptions{Version: version, Progress: p, Overlay: overlay}
	}
	image := func(ctx context.Context, c clusters.Config) (string, error) {
		return images.Pick(ctx, images.Options{Version: c.Version, Restricted: images.Restricted(), Progress: p}, c.NodeImageSource, c.NodeImageRegistry)
	}
	own := kind.Own{
		Scheduler: func(ctx context.Context, version string) (clusters.ComponentImage, error) {
			return images.Scheduler(ctx, component(version))
		},
		Controllers: func(ctx context.Context, version string) (clusters.ComponentImage, error) {
			return images.Controllers(ctx, component(version))
		},
		Kubelet: func(ctx context.Context, version string) (clusters.ComponentBinary, error) {
			return images.Kubelet(ctx, component(version))
		},
	}
	return &Clusters{
		Provider:     kind.Provider{Image: image, Own: own, Progress: p},
		controlPlane: controlplane.Provider{Programs: programs(p, component), Progress: p},
	}
}

// programs are what control planes run, from the cache of what node images are made of.
func programs(p *progress.Printer, component func(version string) images.OwnOptions) controlplane.Programs {
	of := func(version string) images.Options { return images.Options{Version: version, Progress: p} }
	return controlplane.Programs{
		Kubernetes: func(ctx context.Context, version, program string) (string, error) {
			return images.Program(ctx, of(version), program)
		},
		Etcd: func(ctx context.Context, version string) (string, error) { return images.Etcd(ctx, of(version)) },
		Kwok: func(ctx context.Context, version string) (string, error) { return images.Kwok(ctx, of(version)) },
		Scheduler: func(ctx context.Context, version, kubeconfig string) (string, []byte, error) {
			return images.SchedulerProgram(ctx, component(version), kubeconfig)
		},
		Controllers: func(ctx context.Context, version string) (string, []byte, error) {
			return images.ControllersProgram(ctx, component(version))
		},
	}
}

// Create implements clusters.Provider. A version that is not known is refused
// before anything is started; with an image of its own a cluster may be of any.
func (c *Clusters) Create(ctx context.Context, config clusters.Config) (clusters.Cluster, error) {
	if config.Image == "" && config.Version != "" {
		if _, err := versions.Lookup(config.Version); err != nil {
			return clusters.Cluster{}, err
		}
	}
	if err := images.CanBuild(config.Stack, images.OwnOptions{Version: config.Version}); err != nil {
		return clusters.Cluster{}, err
	}
	if err := c.nameIsFree(config.WithDefaults("")); err != nil {
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

// nameIsFree is ErrExists if another provider has a cluster of the name: commands
// find the provider by it. Whether the same one has is its own question.
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

// Digests are those of what this machine has built of Kubernetes, as far as it has.
func (c *Clusters) Digests(ctx context.Context, wanted []spec.Artifact) (spec.Digests, error) {
	return images.Digests(ctx, images.Options{Progress: c.Progress}, wanted)
}

// ensureEngine starts an engine that is installed and does not run. One that
// answers costs a tenth of a second.
func (c *Clusters) ensureEngine(ctx context.Context) error {
	_, err := engine.Engine{}.Run(ctx, "version")
	if errors.Is(err, clusters.ErrEnvironment) {
		return host.Ensure(ctx, c.Progress)
	}
	return err
}
