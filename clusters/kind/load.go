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

package kind

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sync/errgroup"
	"sigs.k8s.io/kind/pkg/cluster/nodeutils"

	"github.com/dra-conformance/dratest/clusters"
	client "github.com/dra-conformance/dratest/clusters/engine"
)

// Load imports an image into the container runtimes of all nodes of a running cluster, replacing any
// image of the same name. The image is in the container engine or an archive of "docker save". Running
// pods keep their image.
func (p *Provider) Load(ctx context.Context, name, image string) error {
	all, err := p.Machines(ctx, name)
	if err != nil {
		return err
	}
	archive, remove, err := archiveOf(ctx, image)
	if err != nil {
		return err
	}
	defer remove()
	return p.Progress.Step(fmt.Sprintf("load %s into %d nodes of cluster %s", image, len(all), name), 0, func() error {
		loading, ctx := errgroup.WithContext(ctx)
		for _, machine := range all {
			loading.Go(func() error { return machine.(member).take(ctx, archive) }) //nolint:forcetypeassert // Machines makes them
		}
		return loading.Wait()
	})
}

// archiveOf returns the image as a file; call remove after reading it.
func archiveOf(ctx context.Context, image string) (path string, remove func(), err error) {
	keep := func() {}
	switch info, err := os.Stat(image); {
	case err == nil && info.Mode().IsRegular():
		return image, keep, nil
	case err != nil && !errors.Is(err, os.ErrNotExist):
		return "", keep, fmt.Errorf("%w: read the archive %s: %w", clusters.ErrEnvironment, image, err)
	}
	var engine client.Engine
	if _, ok, err := engine.Image(ctx, image); err != nil || !ok {
		missing := fmt.Errorf("%w: there is no archive and no image of the container engine with the name %q: build or pull it first", clusters.ErrEnvironment, image)
		if err != nil {
			missing = err
		}
		return "", keep, missing
	}
	dir, err := os.MkdirTemp("", "dratest-load-")
	if err != nil {
		return "", keep, fmt.Errorf("make room for the image: %w", err)
	}
	remove = func() { _ = os.RemoveAll(dir) }
	path = filepath.Join(dir, "image.tar")
	if _, err := engine.Run(ctx, "save", "--output", path, "--", image); err != nil {
		remove()
		return "", keep, fmt.Errorf("write image %s: %w", image, err)
	}
	return path, remove, nil
}

func (m member) take(ctx context.Context, archive string) error {
	file, err := os.Open(archive)
	if err != nil {
		return fmt.Errorf("read the image: %w", err)
	}
	defer func() { _ = file.Close() }()
	if err := nodeutils.LoadImageArchive(m.Node, until{ctx, file}); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return fmt.Errorf("load the image into %s: %w", m, err)
	}
	return nil
}

// until is a reader ending with a context.
type until struct {
	ctx context.Context //nolint:containedctx // of a single read call
	io.Reader
}

func (u until) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.Reader.Read(p)
}
