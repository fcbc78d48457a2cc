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
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"github.com/dra-conformance/dratest/clusters/images/cache"
	"github.com/dra-conformance/dratest/clusters/images/layer"
	"github.com/dra-conformance/dratest/clusters/images/modules"
)

func nodeEntrypoint() []string { return []string{"/usr/local/bin/entrypoint", "/sbin/init"} }

// loadSpace is the engine disk space for loading a base image: the unpacked layers, plus the archive while it is
// read.
const loadSpace = 2 * cache.GiB

// buildBase assembles the base stage and loads it into the engine.
func (b *builder) buildBase(ctx context.Context, rootfs, ref string) error {
	const what = "put the node's file system together"
	return b.Progress.Step(what, 5*time.Second, func() error {
		dir, err := b.engineSpace(ctx, loadSpace, what)
		if err != nil {
			return err
		}
		image, err := b.baseImage(ctx, rootfs)
		if err != nil {
			return err
		}
		return cache.Explain(b.load(ctx, ref, image), dir, loadSpace, what)
	})
}

func (b *builder) baseImage(ctx context.Context, rootfs string) (v1.Image, error) {
	kindDir, err := downloadKind(ctx, b.cache.Dir)
	if err != nil {
		return nil, err
	}
	files, err := kindFiles(os.DirFS(kindDir), b.plan.edits)
	if err != nil {
		return nil, err
	}
	ctr, err := b.ctr()
	if err != nil {
		return nil, err
	}
	spec, err := containerSpec(ctx, ctr)
	if err != nil {
		return nil, err
	}
	files = append(append(append(files, spec), unitEntries()...), cniEntries()...)
	root, err := layer.PlainFile(rootfs)
	if err != nil {
		return nil, err
	}
	layers := []v1.Layer{root}
	for _, entries := range [][]layer.Entry{b.plan.runtime, files, b.plan.kubernetes} {
		l, err := layer.Plain(entries)
		if err != nil {
			return nil, err
		}
		layers = append(layers, l)
	}
	config := v1.Config{
		Env: []string{
			"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
			"container=docker", // systemd looks for it
		},
		Entrypoint: nodeEntrypoint(),
		StopSignal: "SIGRTMIN+3", // systemd's; others it does not end for
		Labels:     map[string]string{},
	}
	for _, l := range b.labels("base", nil) {
		config.Labels[l[0]] = l[1]
	}
	return newImage(layers, config)
}

// ctr returns the path of the ctr program, built for the node but able to run on any Linux.
func (b *builder) ctr() (string, error) {
	for _, binary := range modules.Runtime() {
		if binary.Name == "ctr" {
			path, _, err := b.modules.Path(binary)
			return path, err
		}
	}
	return "", errors.New("find ctr: it is not among the runtime's programs")
}

func (b *builder) load(ctx context.Context, ref string, image v1.Image) error {
	tag, err := name.NewTag(ref)
	if err != nil {
		return fmt.Errorf("name image %s: %w", ref, err)
	}
	r, w := io.Pipe()
	go func() { _ = w.CloseWithError(tarball.Write(tag, image, w)) }()
	_, err = b.Engine.Feed(ctx, r, "load")
	_ = r.Close() // ends the writer if the engine has stopped reading
	return err
}

// newImage makes an image of layers and a configuration. The fixed creation time makes it reproducible.
func newImage(layers []v1.Layer, config v1.Config) (v1.Image, error) {
	image, err := mutate.AppendLayers(empty.Image, layers...)
	if err != nil {
		return nil, fmt.Errorf("stack image layers: %w", err)
	}
	file, err := image.ConfigFile()
	if err != nil {
		return nil, fmt.Errorf("read the image configuration: %w", err)
	}
	file = file.DeepCopy()
	file.OS, file.Architecture, file.Config, file.Created = "linux", runtime.GOARCH, config, v1.Time{Time: layer.Time()}
	image, err = mutate.ConfigFile(image, file)
	if err != nil {
		return nil, fmt.Errorf("configure the image: %w", err)
	}
	return image, nil
}

// contentKey identifies a file by its content.
func contentKey(path string) (string, error) {
	digest, err := fileDigest(path)
	if err != nil {
		return "", err
	}
	return strings.TrimPrefix(digest, "sha256:")[:20], nil
}

func copyFile(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return fmt.Errorf("read a program: %w", err)
	}
	if err := os.WriteFile(to, data, 0o755); err != nil {
		return fmt.Errorf("keep a program: %w", err)
	}
	return nil
}
