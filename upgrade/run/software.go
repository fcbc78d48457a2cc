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

package run

import (
	"context"
	"fmt"
	"sync"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/versions"
	"github.com/dra-conformance/dratest/upgrade/change"
	"github.com/dra-conformance/dratest/upgrade/path"
)

// Builder builds missing components of Kubernetes versions.
type Builder interface {
	// Component returns the image of a control plane component.
	Component(ctx context.Context, version, name string) (clusters.ComponentImage, error)
	// Program returns the path of a program.
	Program(ctx context.Context, version, name string) (path string, err error)
}

// Built is Software built on demand, each image once.
type Built struct {
	Builder Builder

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
	image, err := b.Builder.Component(ctx, v.String(), string(c))
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
	return b.Builder.Program(ctx, v.String(), string(path.Kubelet))
}

// Known are the listed versions, newest first, and others that Built can build.
func Known(others ...path.Version) ([]path.Version, error) {
	var known []path.Version
	for _, v := range versions.All() {
		parsed, err := path.ParseVersion(v.Kubernetes)
		if err != nil {
			return nil, err
		}
		known = append(known, parsed)
	}
	return append(known, others...), nil
}
