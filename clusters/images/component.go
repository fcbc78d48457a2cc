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

package images

import (
	"context"
	"fmt"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/dra-conformance/dratest/clusters/images/cache"
	"github.com/dra-conformance/dratest/clusters/images/debian"
	"github.com/dra-conformance/dratest/clusters/images/layer"
)

// containerPath is the PATH of containers: most images hold only a static program in its first directory.
const containerPath = "PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// annotationName holds an image's name for containerd in an OCI layout.
const annotationName = "io.containerd.image.name"

// writeLayout builds components into an OCI layout in dir; from is their node image.
func (b *builder) writeLayout(ctx context.Context, from, dir string, components []component) error {
	index, err := layout.Write(dir, empty.Index)
	if err != nil {
		return fmt.Errorf("make an image layout: %w", err)
	}
	saved, err := b.cache.Temp("saved-")
	if err != nil {
		return err
	}
	defer func() { _ = cache.RemoveAll(saved) }()
	for _, c := range components {
		// Sequentially: each is held in memory while it is compressed.
		if err := ctx.Err(); err != nil {
			return err
		}
		image, err := b.componentImage(ctx, from, saved, c)
		if err != nil {
			return fmt.Errorf("build image %s: %w", c.ref, err)
		}
		if err := index.AppendImage(image, layout.WithAnnotations(map[string]string{annotationName: c.ref})); err != nil {
			return fmt.Errorf("write image %s: %w", c.ref, err)
		}
	}
	return nil
}

// fromRootfs reports whether the component needs files of the root file system.
func (c component) fromRootfs() bool { return len(c.packages)+len(c.paths) > 0 }

func (b *builder) componentImage(ctx context.Context, from, saved string, c component) (v1.Image, error) {
	if c.image != "" {
		image, err := b.fromEngine(ctx, c.image, saved)
		if err != nil {
			return nil, err
		}
		return asOCI(image), nil
	}
	entries := append([]layer.Entry{}, c.files...)
	if c.fromRootfs() {
		files, err := debian.Files(b.plan.rootfs.Path(b.cache), c.packages, c.paths)
		if err != nil {
			return nil, err
		}
		entries = append(entries, files...)
	}
	if c.applets {
		links, err := b.applets(ctx, from)
		if err != nil {
			return nil, err
		}
		entries = append(entries, links...)
	}
	l, err := layer.Compressed(entries)
	if err != nil {
		return nil, err
	}
	image, err := newImage([]v1.Layer{l}, v1.Config{Env: []string{containerPath}, Entrypoint: c.entrypoint})
	if err != nil {
		return nil, err
	}
	return asOCI(image), nil
}

func asOCI(image v1.Image) v1.Image {
	return mutate.ConfigMediaType(mutate.MediaType(image, types.OCIManifestSchema1), types.OCIConfigJSON)
}

// applets lists the commands of a node image's busybox and returns a link for each.
func (b *builder) applets(ctx context.Context, image string) ([]layer.Entry, error) {
	out, err := b.Engine.Run(ctx, "run", "--rm", "--label", labelBuilding+"="+building, "--network", "none",
		"--entrypoint", "busybox", image, "--list")
	if err != nil {
		return nil, fmt.Errorf("ask busybox for its commands: %w", err)
	}
	var links []layer.Entry
	for _, name := range strings.Fields(out) {
		if name != "busybox" {
			links = append(links, layer.Entry{Path: "usr/bin/" + name, Link: "busybox"})
		}
	}
	return links, nil
}
