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
	"github.com/dra-conformance/dratest/clusters/images/modules"
	"github.com/dra-conformance/dratest/clusters/versions"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Digests are those of what this machine has built of kube-scheduler,
// kube-controller-manager or the kubelet, in the versions that are wanted; what is not
// in the cache is missing. They are computed from the programs in the cache, and never
// from what a node says of itself.
//
// An image's digest is that of its configuration, which names the layers' content: that
// is what containerd calls an image that was imported, and it is the same however the
// layers are compressed.
func (l Local) Digests(ctx context.Context, wanted []spec.Artifact) (spec.Digests, error) {
	b, err := newBuilder(ctx, l.options(""))
	if err != nil {
		return nil, err
	}
	found := spec.Digests{}
	for _, a := range wanted {
		version, err := versions.Lookup(a.Version)
		if err != nil || version.Kubernetes != a.Version {
			continue // of others there is no program here
		}
		path, _, err := b.modules.Path(modules.Kubernetes(version, a.Program))
		if err != nil {
			return nil, err
		}
		if !cache.Exists(path) {
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

// digestOf is the digest of a program's image, or of a kubelet, which has none.
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

// plainImage is an image of files that are not compressed.
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
