package kind

import (
	"context"
	"fmt"

	"github.com/dra-conformance/dratest/clusters"
)

// Own builds or finds this project's components for a Kubernetes version; each
// function is called only for clusters that are to have the component.
type Own struct {
	Scheduler   func(ctx context.Context, version string) (clusters.ComponentImage, error)
	Controllers func(ctx context.Context, version string) (clusters.ComponentImage, error)
	Kubelet     func(ctx context.Context, version string) (clusters.ComponentBinary, error)
}

// built are the components of a stack that are this project's; the others are zero.
type built struct {
	scheduler, controllers clusters.ComponentImage
	kubelet                clusters.ComponentBinary
}

func (o Own) build(ctx context.Context, s clusters.Stack, version string) (built, error) {
	var b built
	var err error
	if b.scheduler, err = buildOne(ctx, s.Scheduler, version, o.Scheduler); err != nil {
		return b, err
	}
	if b.controllers, err = buildOne(ctx, s.Controllers, version, o.Controllers); err != nil {
		return b, err
	}
	b.kubelet, err = buildOne(ctx, s.Kubelet, version, o.Kubelet)
	return b, err
}

func buildOne[C any](ctx context.Context, whose clusters.Implementation, version string, build func(context.Context, string) (C, error)) (C, error) {
	var none C
	if whose != clusters.Own {
		return none, nil
	}
	if build == nil {
		return none, fmt.Errorf("%w: an own component was asked for, and none was given", clusters.ErrEnvironment)
	}
	return build(ctx, version)
}

// ownOf is what has to be done in a new cluster, all of whose components are stock.
func ownOf(s clusters.Stack) clusters.Stack {
	var own clusters.Stack
	if s.Scheduler == clusters.Own {
		own.Scheduler = clusters.Own
	}
	if s.Controllers == clusters.Own {
		own.Controllers = clusters.Own
	}
	if s.Kubelet == clusters.Own {
		own.Kubelet, own.KubeletNodes = clusters.Own, s.KubeletNodes
	}
	return own
}

// fits is an error for a component of another version than the cluster's.
func fits(what, kubernetes, version string) error {
	if kubernetes != version {
		return fmt.Errorf("%w for %s: it is of Kubernetes %s, the cluster of %s", clusters.ErrUnknownVersion, what, kubernetes, version)
	}
	return nil
}
