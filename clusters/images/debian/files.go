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

package debian

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/dra-conformance/dratest/clusters/images/layer"
)

// bulky are package directories not needed to run programs. Licences, in usr/share/doc, are kept.
//
//nolint:gochecknoglobals // a table
var bulky = []string{"usr/share/man/", "usr/share/locale/", "usr/share/lintian/", "usr/share/bash-completion/", "usr/lib/x86_64-linux-gnu/gconv/"}

// Files returns the files of packages, and of paths, from the tar file of a root file system, including the links
// merging /lib into /usr/lib and so on. dpkg's file lists in the tar file define a package's files.
func Files(tarFile string, packages, paths []string) ([]layer.Entry, error) {
	wanted := map[string]bool{}
	for _, p := range paths {
		wanted[p] = true
	}
	left := map[string]bool{}
	for _, p := range packages {
		left[p] = true
	}
	err := walk(tarFile, func(name string, _ *tar.Header, r io.Reader) error {
		pkg, ok := listOf(name)
		if !ok || !left[pkg] {
			return nil
		}
		delete(left, pkg)
		list, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(list)) {
			if p := merged(strings.TrimSpace(line)); !isBulky(p) {
				wanted[p] = true
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(left) > 0 {
		return nil, fmt.Errorf("find packages in the root file system: none of %v is installed", slices.Sorted(maps.Keys(left)))
	}
	return pick(tarFile, wanted, paths)
}

func pick(tarFile string, wanted map[string]bool, paths []string) ([]layer.Entry, error) {
	entries := []layer.Entry{}
	found := map[string]bool{}
	err := walk(tarFile, func(name string, h *tar.Header, r io.Reader) error {
		top := !strings.Contains(name, "/") && h.Typeflag == tar.TypeSymlink // bin -> usr/bin
		if !wanted[name] && !top {
			return nil
		}
		found[name] = true
		e := layer.Entry{Path: name, Mode: h.Mode & 0o7777}
		switch h.Typeflag {
		case tar.TypeReg:
			data, err := io.ReadAll(r)
			if err != nil {
				return err
			}
			e.Data = data
		case tar.TypeSymlink:
			e.Link = h.Linkname
		case tar.TypeDir: // directories are made as needed
			return nil
		default:
			return fmt.Errorf("copy a file of tar type %q: only files and symbolic links can be", h.Typeflag)
		}
		entries = append(entries, e)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, p := range paths {
		if !found[p] {
			return nil, fmt.Errorf("find %s in the root file system: there is none", p)
		}
	}
	return entries, nil
}

// listOf returns the package of a dpkg file list.
func listOf(name string) (string, bool) {
	base, ok := strings.CutPrefix(name, "var/lib/dpkg/info/")
	if !ok {
		return "", false
	}
	base, ok = strings.CutSuffix(base, ".list")
	pkg, _, _ := strings.Cut(base, ":") // "libc6:amd64"
	return pkg, ok
}

// merged maps a path of a package's list to merged /usr: packages still list /lib/x for /usr/lib/x.
func merged(p string) string {
	p = strings.TrimPrefix(path.Clean(p), "/")
	top, rest, ok := strings.Cut(p, "/")
	if ok && slices.Contains([]string{"bin", "sbin", "lib", "lib32", "lib64", "libx32"}, top) {
		return "usr/" + top + "/" + rest
	}
	return p
}

func isBulky(p string) bool {
	return slices.ContainsFunc(bulky, func(prefix string) bool { return strings.HasPrefix(p, prefix) })
}

func walk(tarFile string, visit func(name string, h *tar.Header, r io.Reader) error) error {
	file, err := os.Open(tarFile)
	if err != nil {
		return fmt.Errorf("read the root file system: %w", err)
	}
	defer func() { _ = file.Close() }()
	for r := tar.NewReader(file); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the root file system: %w", err)
		}
		name := path.Clean(strings.TrimPrefix(h.Name, "./"))
		if err := visit(name, h, r); err != nil {
			return fmt.Errorf("read %s of the root file system: %w", name, err)
		}
	}
}
