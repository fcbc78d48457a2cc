package run

import (
	"context"
	"fmt"
	"sync"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/images"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/clusters/versions"
	"github.com/dra-conformance/dratest/upgrade/change"
	"github.com/dra-conformance/dratest/upgrade/path"
)

// Built is Software that builds software from Go modules where it is missing.
type Built struct {
	Progress *progress.Printer

	mutex  sync.Mutex
	images map[item]clusters.ComponentImage
}

type item struct {
	component path.Component
	version   path.Version
}

var _ change.Software = (*Built)(nil)

// Image implements change.Software.
func (b *Built) Image(ctx context.Context, c path.Component, v path.Version) (clusters.ComponentImage, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if image, ok := b.images[item{c, v}]; ok {
		return image, nil
	}
	image, err := images.Component(ctx, images.Options{Version: v.String(), Progress: b.Progress}, string(c))
	if err != nil {
		return image, fmt.Errorf("build %s %s: %w", c, v, err)
	}
	if b.images == nil {
		b.images = map[item]clusters.ComponentImage{}
	}
	b.images[item{c, v}] = image
	return image, nil
}

// Kubelet implements change.Software.
func (b *Built) Kubelet(ctx context.Context, v path.Version) (string, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return images.Program(ctx, images.Options{Version: v.String(), Progress: b.Progress}, string(path.Kubelet))
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
