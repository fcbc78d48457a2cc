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

package suite

import (
	"archive/tar"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/dra-conformance/dratest/clusters/images/layer"
)

// Program is an image of one static program of this project.
type Program struct {
	// Ref is the image's name.
	Ref string
	// Paths are local builds of the program, one per architecture. Name is its name in /usr/local/bin.
	Paths []string
	Name  string
	// User is the user of the process, as "65532:65532"; empty is root.
	User string
	// Version and Revision label the image.
	Version, Revision string
}

// Account returns the files defining root and nobody, and a directory for temporary files.
func Account() []layer.Entry {
	return []layer.Entry{
		{Path: "etc/passwd", Data: []byte("root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n")},
		{Path: "etc/group", Data: []byte("root:x:0:\nnogroup:x:65534:\n")},
		{Path: "root/", Mode: 0o700},
		{Path: "tmp/", Mode: 0o1777},
	}
}

// Archive writes the images of programs as one OCI layout in a tar stream, and returns their platforms, as
// "linux/amd64". An image of several platforms is an index.
func Archive(w io.Writer, programs []Program) (platforms []string, err error) {
	dir, err := os.MkdirTemp("", "dratest-images-")
	if err != nil {
		return nil, fmt.Errorf("make an image layout: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	index, err := layout.Write(dir, empty.Index)
	if err != nil {
		return nil, fmt.Errorf("make an image layout: %w", err)
	}
	for _, p := range programs {
		if platforms, err = p.write(index); err != nil {
			return nil, fmt.Errorf("write image %s: %w", p.Ref, err)
		}
	}
	archive := tar.NewWriter(w)
	if err := errors.Join(archive.AddFS(os.DirFS(dir)), archive.Close()); err != nil {
		return nil, fmt.Errorf("pack the images: %w", err)
	}
	return platforms, nil
}

// write adds the image to a layout.
func (p Program) write(to layout.Path) (platforms []string, err error) {
	// The first name is for containerd, the other one follows the specification.
	names := layout.WithAnnotations(map[string]string{"io.containerd.image.name": p.Ref, "org.opencontainers.image.ref.name": p.Ref})
	all := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, path := range p.Paths {
		image, platform, err := p.image(path)
		if err != nil {
			return nil, err
		}
		platforms = append(platforms, platform.String())
		if len(p.Paths) == 1 {
			return platforms, to.AppendImage(image, layout.WithPlatform(platform), names)
		}
		all = mutate.AppendManifests(all, mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{Platform: &platform}})
	}
	return platforms, to.AppendIndex(all, names)
}

// image returns the image of one build of the program.
func (p Program) image(path string) (v1.Image, v1.Platform, error) {
	platform := v1.Platform{OS: "linux"}
	var err error
	if platform.Architecture, err = architecture(path); err != nil {
		return nil, platform, err
	}
	in := filepath.Join("usr/local/bin", p.Name)
	entries := append([]layer.Entry{{Path: in, Mode: 0o755, File: path}}, Account()...)
	files, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		r, w := io.Pipe()
		go func() { _ = w.CloseWithError(layer.Write(w, entries)) }()
		return r, nil
	}, tarball.WithMediaType(types.OCILayer), tarball.WithCompressedCaching)
	if err != nil {
		return nil, platform, err
	}
	base := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	image, err := mutate.AppendLayers(base, files)
	if err != nil {
		return nil, platform, err
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, platform, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Created = platform.OS, platform.Architecture, v1.Time{Time: layer.Time()}
	config.Config = v1.Config{
		Entrypoint: []string{"/" + in}, User: p.User, Env: []string{"PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"},
		Labels: map[string]string{
			"org.opencontainers.image.title": p.Name, "org.opencontainers.image.licenses": "Apache-2.0",
			"org.opencontainers.image.source":  "https://github.com/dra-conformance/dratest",
			"org.opencontainers.image.version": p.Version, "org.opencontainers.image.revision": p.Revision,
		},
	}
	image, err = mutate.ConfigFile(image, config)
	return image, platform, err
}

// architecture is the GOARCH of a static Linux program.
func architecture(path string) (string, error) {
	file, err := elf.Open(path)
	if err != nil {
		return "", fmt.Errorf("%s is no program for Linux (`make image` builds them): %w", path, err)
	}
	defer func() { _ = file.Close() }()
	for _, p := range file.Progs {
		if p.Type == elf.PT_INTERP {
			return "", fmt.Errorf("%s needs libraries, which its image will not have: build it with CGO_ENABLED=0", path)
		}
	}
	known := map[elf.Machine]string{elf.EM_X86_64: "amd64", elf.EM_AARCH64: "arm64", elf.EM_S390: "s390x", elf.EM_PPC64: "ppc64le"}
	if known[file.Machine] == "" {
		return "", fmt.Errorf("%s is for %s, of which no image is known", path, file.Machine)
	}
	return known[file.Machine], nil
}
