package run

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/images"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/clusters/versions"
	"github.com/dra-conformance/dratest/upgrade/change"
	"github.com/dra-conformance/dratest/upgrade/path"
)

// Built is a Supply that builds software from Go modules where it is missing.
type Built struct {
	Progress *progress.Printer

	mutex  sync.Mutex
	images map[item]clusters.ComponentImage
}

type item struct {
	component path.Component
	software  path.Software
}

var _ change.Supply = (*Built)(nil)

// Image implements change.Supply.
func (b *Built) Image(ctx context.Context, c path.Component, s path.Software) (clusters.ComponentImage, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if image, ok := b.images[item{c, s}]; ok {
		return image, nil
	}
	image, err := b.build(ctx, c, s)
	if err != nil {
		return image, fmt.Errorf("build %s %s: %w", c, s, err)
	}
	if b.images == nil {
		b.images = map[item]clusters.ComponentImage{}
	}
	b.images[item{c, s}] = image
	return image, nil
}

func (b *Built) build(ctx context.Context, c path.Component, s path.Software) (clusters.ComponentImage, error) {
	if !s.Own {
		return images.Component(ctx, images.Options{Version: s.Version.String(), Progress: b.Progress}, string(c))
	}
	if c != path.Scheduler {
		return clusters.ComponentImage{}, fmt.Errorf("%w: there is no own %s", clusters.ErrEnvironment, c)
	}
	return images.Scheduler(ctx, images.OwnOptions{Version: s.Version.String(), Progress: b.Progress})
}

// Kubelet implements change.Supply.
func (b *Built) Kubelet(ctx context.Context, s path.Software) (string, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if s.Own {
		return "", fmt.Errorf("%w: there is no own kubelet", clusters.ErrEnvironment)
	}
	return images.Program(ctx, images.Options{Version: s.Version.String(), Progress: b.Progress}, string(path.Kubelet))
}

// Known are the versions that Built can build, newest first.
func Known() ([]path.Version, error) {
	var known []path.Version
	for _, v := range versions.All() {
		parsed, err := path.ParseVersion(v.Kubernetes)
		if err != nil {
			return nil, err
		}
		known = append(known, parsed)
	}
	return known, nil
}

// OwnVersions are the versions of this project's components that a stack has.
func OwnVersions(s clusters.Stack) (map[path.Component]path.Version, error) {
	if s.Controllers == clusters.Own || s.Kubelet == clusters.Own {
		return nil, errors.New("stack: only the scheduler can be the own one in an upgrade")
	}
	if s.Scheduler != clusters.Own {
		return nil, nil
	}
	var last error
	for _, v := range versions.All() {
		if last = images.CanBuild(clusters.Stack{Scheduler: clusters.Own}, images.OwnOptions{Version: v.Kubernetes}); last == nil {
			parsed, err := path.ParseVersion(v.Kubernetes)
			return map[path.Component]path.Version{path.Scheduler: parsed}, err
		}
	}
	return nil, last
}
