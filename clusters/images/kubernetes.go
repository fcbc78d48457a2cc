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
	"io"
	"io/fs"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/images/cache"
	"github.com/dra-conformance/dratest/clusters/images/debian"
	"github.com/dra-conformance/dratest/clusters/images/layer"
	"github.com/dra-conformance/dratest/clusters/images/modules"
	"github.com/dra-conformance/dratest/clusters/versions"
)

// Program builds a program of a Kubernetes version, such as "kubelet", or the matching etcd or kwok, and returns its
// path. Errors: clusters.ErrUnknownVersion, clusters.ErrEnvironment, of the build, or of ctx.
func (l Local) Program(ctx context.Context, version, program string) (path string, err error) {
	_, path, err = buildProgram(ctx, l.options(version), program)
	return path, err
}

// ChangedProgram builds a program of a Kubernetes version from modules changed by a function, and returns its path. Errors
// are those of Program.
func (l Local) ChangedProgram(ctx context.Context, version, program string, changed []string, change func(fs.FS) (map[string][]byte, error)) (string, error) {
	o := l.options(version)
	b, err := newBuilder(ctx, o)
	if err != nil {
		return "", err
	}
	from, err := b.origins(ctx)
	if err != nil {
		return "", err
	}
	binary := from.program(from.source.Version, program)
	if binary.Checkout != "" {
		return "", fmt.Errorf("%w: %s of a checkout cannot be built with changes: name a release", clusters.ErrEnvironment, program)
	}
	unlock, err := b.cache.Lock(ctx, b.Progress)
	if err != nil {
		return "", err
	}
	defer unlock()
	var built string
	err = slowly(b.Progress, "build "+program+" with changes", 3*time.Minute, func() (err error) {
		built, err = b.modules.BuildChanged(ctx, modules.Changed{Binary: binary, Modules: changed, Change: change})
		return err
	})
	if err != nil {
		return "", err
	}
	path, _, err := keep(b.cache, built)
	return path, err
}

// Component is the image of a Kubernetes version's kube-apiserver, kube-controller-manager, kube-scheduler or
// kube-proxy, identical to the one in its node image. Errors are those of Program.
func (l Local) Component(ctx context.Context, version, program string) (clusters.ComponentImage, error) {
	b, path, err := buildProgram(ctx, l.options(version), program)
	if err != nil {
		return clusters.ComponentImage{}, err
	}
	found, err := b.find(ctx, version, "")
	if err != nil {
		return clusters.ComponentImage{}, err
	}
	v := found.Version
	entries := []layer.Entry{{Path: "usr/local/bin/" + program, Mode: 0o755, File: path}}
	if program == "kube-proxy" {
		rootfs, err := debian.Node().Build(ctx, b.cache, b.Progress)
		if err != nil {
			return clusters.ComponentImage{}, err
		}
		runs, err := debian.Files(rootfs, proxyPackages, proxyLinks)
		if err != nil {
			return clusters.ComponentImage{}, err
		}
		entries = append(entries, runs...)
	}
	return componentArchive(kubernetesImage(v, program), v, entries)
}

func buildProgram(ctx context.Context, o Options, program string) (*builder, string, error) {
	return buildBinary(ctx, o, func(from origins) modules.Binary {
		switch program {
		case "etcd":
			return modules.Etcd()
		case "kwok":
			return modules.Kwok()
		default:
			return from.program(from.source.Version, program)
		}
	})
}

// buildBinary keeps other processes from building the same.
func buildBinary(ctx context.Context, o Options, of func(origins) modules.Binary) (*builder, string, error) {
	b, err := newBuilder(ctx, o)
	if err != nil {
		return nil, "", err
	}
	from, err := b.origins(ctx)
	if err != nil {
		return nil, "", err
	}
	binary := of(from)
	if path, _, err := b.modules.Path(binary); err == nil && cache.HasProgram(path) {
		return b, path, nil // a concurrent build of something else does not matter
	}
	unlock, err := b.cache.Lock(ctx, b.Progress)
	if err != nil {
		return nil, "", err
	}
	defer unlock()
	path, err := b.modules.Build(ctx, binary)
	return b, path, err
}

// componentArchive returns an image of these files as an archive for container runtimes.
func componentArchive(ref string, version versions.Version, entries []layer.Entry, entrypoint ...string) (clusters.ComponentImage, error) {
	tag, err := name.NewTag(ref)
	if err != nil {
		return clusters.ComponentImage{}, fmt.Errorf("name image %s: %w", ref, err)
	}
	image, err := plainImage(entries, entrypoint...)
	if err != nil {
		return clusters.ComponentImage{}, err
	}
	return clusters.ComponentImage{Ref: ref, Kubernetes: version.Kubernetes, Archive: func(w io.Writer) error {
		if err := tarball.Write(tag, image, w); err != nil {
			return fmt.Errorf("pack image %s: %w", ref, err)
		}
		return nil
	}}, nil
}
