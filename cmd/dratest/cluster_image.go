package main

import (
	"context"
	"errors"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/engine"
	"github.com/dra-conformance/dratest/clusters/host"
	"github.com/dra-conformance/dratest/clusters/images"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/clusters/versions"
)

// nodeImage finds or builds the node image for a Kubernetes version.
func nodeImage(p *progress.Printer) func(context.Context, string) (string, error) {
	return func(ctx context.Context, version string) (string, error) {
		return images.Node(ctx, images.Options{Version: version, Restricted: images.Restricted(), Progress: p})
	}
}

// ensureEngine starts an engine that is installed and does not run. One that
// answers costs a tenth of a second.
func ensureEngine(ctx context.Context, p *progress.Printer) error {
	_, err := engine.Engine{}.Run(ctx, "version")
	if errors.Is(err, clusters.ErrEnvironment) {
		return host.Ensure(ctx, p)
	}
	return err
}

// knownVersion checks a Kubernetes version before anything else is done; with an
// image of its own a cluster may be of any version.
func knownVersion(c clusters.Config) error {
	if c.Image != "" || c.Version == "" {
		return nil
	}
	_, err := versions.Lookup(c.Version)
	return err
}
