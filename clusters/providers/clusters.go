package providers

import (
	"context"
	"errors"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/engine"
	"github.com/dra-conformance/dratest/clusters/host"
	"github.com/dra-conformance/dratest/clusters/images"
	"github.com/dra-conformance/dratest/clusters/kind"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/clusters/versions"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Clusters makes kind clusters on this machine.
type Clusters struct{ kind.Provider }

var _ clusters.Provider = (*Clusters)(nil)

// NewClusters returns a provider that tells p what it does.
func NewClusters(p *progress.Printer) *Clusters {
	image := func(ctx context.Context, version string) (string, error) {
		return images.Node(ctx, images.Options{Version: version, Restricted: images.Restricted(), Progress: p})
	}
	own := kind.Own{
		Scheduler: func(ctx context.Context, version string) (clusters.ComponentImage, error) {
			return images.Scheduler(ctx, images.OwnOptions{Version: version, Progress: p})
		},
		Controllers: func(ctx context.Context, version string) (clusters.ComponentImage, error) {
			return images.Controllers(ctx, images.OwnOptions{Version: version, Progress: p})
		},
		Kubelet: func(ctx context.Context, version string) (clusters.ComponentBinary, error) {
			return images.Kubelet(ctx, images.OwnOptions{Version: version, Progress: p})
		},
	}
	return &Clusters{kind.Provider{Image: image, Own: own, Progress: p}}
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
	if err := c.ensureEngine(ctx); err != nil {
		return clusters.Cluster{}, err
	}
	return c.Provider.Create(ctx, config)
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
