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

package versions_test

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Only the table and the files of its module may name a Kubernetes release; everything else takes it from there.
func TestNothingElseNamesARelease(t *testing.T) {
	const root = "../.."
	allowed := []string{"clusters/versions/table.go"}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		if d.IsDir() {
			if slices.Contains([]string{".git", "bin", "testdata", "_artifacts"}, d.Name()) || rel == "implementation" {
				return fs.SkipDir
			}
			return nil
		}
		if slices.Contains(allowed, filepath.ToSlash(rel)) || !d.Type().IsRegular() {
			return nil
		}
		text, err := places(path)
		if err != nil {
			return err
		}
		for _, line := range text {
			if found := names(line); found != "" {
				t.Errorf("%s names %s in %q: take it from clusters/versions, or leave the patch level out", rel, found, line)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// places returns the lines of a file naming a release, except comments, tests and prose.
func places(path string) ([]string, error) {
	name := filepath.Base(path)
	isGo := strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go")
	isScript := name == "Makefile" || strings.Contains(filepath.ToSlash(path), "/.ci/") || strings.Contains(filepath.ToSlash(path), "/.github/")
	if !isGo && !isScript {
		return nil, nil
	}
	text, err := os.ReadFile(path)
	if err != nil || !isGo {
		return slices.DeleteFunc(strings.Split(string(text), "\n"), func(l string) bool { return strings.HasPrefix(strings.TrimSpace(l), "#") }), err
	}
	var s scanner.Scanner
	files := token.NewFileSet()
	s.Init(files.AddFile(path, -1, len(text)), text, nil, 0)
	var literals []string
	for {
		_, tok, literal := s.Scan()
		if tok == token.EOF {
			return literals, nil
		}
		if tok == token.STRING {
			literals = append(literals, literal)
		}
	}
}

var releases = regexp.MustCompile(`\bv1\\?\.[3-9]\d\\?\.\d+\b`)

// names returns the release named in a line. Citations of a release's source stay true, as do examples.
func names(line string) string {
	for _, at := range releases.FindAllStringIndex(line, -1) {
		stays := func(before string) bool { return strings.HasSuffix(line[:at[0]], before) }
		if !strings.HasPrefix(line[at[1]:], "-") && !slices.ContainsFunc([]string{"k8s.io/kubernetes ", "as ", "like ", "V=", "buf@"}, stays) {
			return line[at[0]:at[1]]
		}
	}
	return ""
}

func TestNames(t *testing.T) {
	for line, want := range map[string]string{
		"image: kindest/node:v1.38.0":         "v1.38.0",
		`noticed 'v1\.38\.0'`:                 `v1\.38\.0`,
		"(k8s.io/kubernetes v1.38.0 pkg/x)":   "",
		"--source v1.38.0-alpha.1":            "",
		"Kubernetes version, as v1.38.0":      "",
		"busybox:1.37.0":                      "",
		"v0.38.0 and v1.2.3 of something":     "",
		"k8s.io/kubernetes v1.38.0, v1.37.9x": "",
		"k8s.io/kubernetes v1.38.0 v1.38.1":   "v1.38.1",
	} {
		if got := names(line); got != want {
			t.Errorf("%q: got %q", line, got)
		}
	}
}
