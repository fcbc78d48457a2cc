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

package suite_test

import (
	"archive/tar"
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/dra-conformance/dratest/clusters/images/suite"
)

func TestIn(t *testing.T) {
	for _, row := range []struct{ registry, ref, want string }{
		{"", suite.Sim, suite.Sim},
		{"mirror.example.com", suite.Sim, "mirror.example.com/dra-sim:1"},
		{"mirror.example.com:5000/dra/", suite.RunAt("v1.2.3"), "mirror.example.com:5000/dra/dratest:v1.2.3"},
		{"mirror.example.com", "busybox", "mirror.example.com/library/busybox:latest"},
		{"mirror.example.com", "example.com/a@sha256:" + strings.Repeat("0", 64), "mirror.example.com/a@sha256:" + strings.Repeat("0", 64)},
	} {
		if got, err := suite.In(row.registry, row.ref); got != row.want || err != nil {
			t.Errorf("%s in %s: got %s, %v", row.ref, row.registry, got, err)
		}
	}
	for registry, ref := range map[string]string{"https://mirror.example.com": suite.Sim, "mirror.example.com": "Not A Name"} {
		if got, err := suite.In(registry, ref); err == nil {
			t.Errorf("%s in %s: got %s", ref, registry, got)
		}
	}
}

func TestTagsAreNamesOfVersions(t *testing.T) {
	for version, want := range map[string]string{
		"v1.2.3": ":v1.2.3", "(devel)": ":devel", "v0.0.0-20261123004404-1a2b3c4d5e6f+dirty": ":v0.0.0-20261123004404-1a2b3c4d5e6f-dirty",
	} {
		if got := suite.RunAt(version); got != suite.Run+want {
			t.Errorf("version %s: got %s", version, got)
		}
	}
}

func program(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	source, path := filepath.Join(dir, "main.go"), filepath.Join(dir, "program")
	if err := os.WriteFile(source, []byte("package main\n\nfunc main() {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", path, source)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

func TestArchive(t *testing.T) {
	path := program(t)
	var packed bytes.Buffer
	platforms, err := suite.Archive(&packed, []suite.Program{
		{Ref: "example.com/a:1", Paths: []string{path}, Name: "a", User: "65532:65532", Version: "v1.2.3"}, {Ref: "example.com/b:1", Paths: []string{path}, Name: "b"},
	})
	if err != nil || !slices.Equal(platforms, []string{"linux/" + runtime.GOARCH}) {
		t.Fatalf("%s, %v", platforms, err)
	}
	dir := t.TempDir()
	untar(t, &packed, dir)
	index, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := index.IndexManifest()
	if err != nil || len(manifest.Manifests) != 2 {
		t.Fatalf("%+v, %v", manifest, err)
	}
	a := manifest.Manifests[0]
	if a.MediaType != types.OCIManifestSchema1 || a.Annotations["org.opencontainers.image.ref.name"] != "example.com/a:1" || a.Platform.String() != "linux/"+runtime.GOARCH {
		t.Errorf("%+v", a)
	}
	image, err := index.Image(a.Digest)
	if err != nil {
		t.Fatal(err)
	}
	config, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	if c := config.Config; c.User != "65532:65532" || !slices.Equal(c.Entrypoint, []string{"/usr/local/bin/a"}) || c.Labels["org.opencontainers.image.version"] != "v1.2.3" {
		t.Errorf("%+v", c)
	}
	layers, err := image.Layers()
	if err != nil || len(layers) != 1 {
		t.Fatalf("%d layers, %v", len(layers), err)
	}
	files, err := layers[0].Uncompressed()
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	untar(t, files, root)
	if info, err := os.Stat(filepath.Join(root, "usr/local/bin/a")); err != nil || info.Mode()&0o111 == 0 {
		t.Errorf("the program: %v, %v", info, err)
	}
}

// Images supported only one architecture. The program for arm64 is only a header.
func TestArchiveOfTwoArchitectures(t *testing.T) {
	path := program(t)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	other, machine := filepath.Join(t.TempDir(), "program"), elf.EM_AARCH64
	if runtime.GOARCH == "arm64" {
		machine = elf.EM_X86_64
	}
	binary.LittleEndian.PutUint16(data[18:], uint16(machine)) // e_machine
	if err := os.WriteFile(other, data, 0o600); err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	platforms, err := suite.Archive(&packed, []suite.Program{{Ref: "example.com/a:1", Paths: []string{path, other}, Name: "a"}})
	if err != nil || len(platforms) != 2 {
		t.Fatalf("%s, %v", platforms, err)
	}
	dir := t.TempDir()
	untar(t, &packed, dir)
	index, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := index.IndexManifest()
	if err != nil || len(manifest.Manifests) != 1 || manifest.Manifests[0].Annotations["org.opencontainers.image.ref.name"] != "example.com/a:1" {
		t.Fatalf("%+v, %v", manifest, err)
	}
	image, err := index.ImageIndex(manifest.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	images, err := image.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, m := range images.Manifests {
		found = append(found, m.Platform.String())
	}
	if images.MediaType != types.OCIImageIndex || !slices.Equal(found, platforms) {
		t.Errorf("%s with %q, expected an OCI index with %q", images.MediaType, found, platforms)
	}
}

func TestOnlyStaticProgramsForLinuxMakeImages(t *testing.T) {
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte("#!/bin/sh\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	wrong := map[string]string{script: "is no program for Linux"}
	if shell, err := filepath.EvalSymlinks("/bin/sh"); err == nil && runtime.GOOS == "linux" {
		wrong[shell] = "needs libraries"
	}
	for path, want := range wrong {
		if _, err := suite.Archive(io.Discard, []suite.Program{{Ref: "example.com/a:1", Paths: []string{path}, Name: "a"}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func untar(t *testing.T, r io.Reader, dir string) {
	t.Helper()
	archive := tar.NewReader(r)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, header.Name)
		if header.Typeflag == tar.TypeDir {
			err = os.MkdirAll(path, 0o755)
		} else {
			var data []byte
			data, err = io.ReadAll(archive)
			err = errors.Join(err, os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, data, header.FileInfo().Mode()))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
