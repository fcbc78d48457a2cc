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
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/dra-conformance/dratest/clusters/images/cache"
	"github.com/dra-conformance/dratest/clusters/images/layer"
	"github.com/dra-conformance/dratest/clusters/images/source"
	"github.com/dra-conformance/dratest/clusters/versions"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Digests returns the digests of locally built kube-scheduler, kube-controller-manager and
// kubelet programs in the wanted versions. Programs missing from the cache are omitted.
// Digests are computed from the cached programs, never from a node's own report.
//
// An image's digest is its configuration's digest, which covers the layers' content.
// containerd uses it to name imported images, and it does not depend on layer compression.
func (l Local) Digests(ctx context.Context, wanted []spec.Artifact) (spec.Digests, error) {
	b, err := newBuilder(ctx, l.options(""))
	if err != nil {
		return nil, err
	}
	found := spec.Digests{}
	for _, a := range wanted {
		from, ok, err := b.local(a.Version)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue // no local program for other versions
		}
		path, _, err := b.modules.Path(from.program(from.source.Version, a.Program))
		if err != nil {
			return nil, err
		}
		if !cache.HasProgram(path) {
			continue
		}
		digest, err := digestOf(a.Program, path)
		if err != nil {
			return nil, err
		}
		found[a] = []string{digest}
	}
	return found, nil
}

// local returns the sources from which this machine may have built programs of a version.
func (b *builder) local(version string) (from origins, ok bool, err error) {
	if v, err := versions.Lookup(version); err == nil && v.Listed() {
		return origins{source: source.Source{Version: v}}, v.Kubernetes == version, nil
	}
	from.source, ok, err = b.recorded(version)
	return from, ok, err
}

// digestOf returns the digest of a program's image. The kubelet has no image: its file is hashed.
func digestOf(program, path string) (string, error) {
	if program == "kubelet" {
		return fileDigest(path)
	}
	image, err := plainImage([]layer.Entry{{Path: "usr/local/bin/" + program, Mode: 0o755, File: path}})
	if err != nil {
		return "", err
	}
	name, err := image.ConfigName()
	if err != nil {
		return "", fmt.Errorf("name the image of %s: %w", program, err)
	}
	return name.String(), nil
}

func plainImage(entries []layer.Entry, entrypoint ...string) (v1.Image, error) {
	l, err := layer.Plain(entries)
	if err != nil {
		return nil, err
	}
	return newImage([]v1.Layer{l}, v1.Config{Env: []string{containerPath}, Entrypoint: entrypoint})
}

func fileDigest(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("read a program: %w", err)
	}
	defer func() { _ = file.Close() }()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", fmt.Errorf("read a program: %w", err)
	}
	return "sha256:" + hex.EncodeToString(hash.Sum(nil)), nil
}
