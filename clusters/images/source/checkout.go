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

package source

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/command"
	"github.com/dra-conformance/dratest/clusters/versions"
)

// built is the reported build date; today's date would make another program every day, and the key is more precise.
const built = "1970-01-01T00:00:00Z"

// Open reads the checkout with the root dir. A version other than "" overrides the last git tag. The source's version is
// the tag with the key as build metadata, as in v1.38.0-alpha.1+1a2b3c4d; it is empty if there is no tag.
// The error wraps clusters.ErrEnvironment if the directory is not a checkout.
func Open(ctx context.Context, dir, version string) (Source, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Source{}, fmt.Errorf("find the checkout: %w", err)
	}
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil || modfile.ModulePath(mod) != "k8s.io/kubernetes" {
		return Source{}, fmt.Errorf("%w: %s is not the root of a checkout of Kubernetes: its go.mod is not that of module k8s.io/kubernetes", clusters.ErrEnvironment, dir)
	}
	if _, err := os.Stat(filepath.Join(dir, "staging", "src", "k8s.io", "api", "go.mod")); err != nil {
		return Source{}, fmt.Errorf("%w: %s has no staging modules: use a git checkout, not a downloaded module", clusters.ErrEnvironment, dir)
	}
	c := Source{Dir: dir}
	if c.Key, err = Key(dir); err != nil {
		return Source{}, err
	}
	if version == "" {
		version = lastTag(ctx, dir)
	}
	if version == "" {
		return c, nil
	}
	if err := Check(version); err != nil {
		return Source{}, err
	}
	c.Version = versions.Version{Kubernetes: version + "+" + c.Key[:8], Built: built}
	c.Version.Etcd, c.Version.Pause, err = Tags(dir)
	return c, err
}

// lastTag is the last version tag before the checked-out commit, or "".
func lastTag(ctx context.Context, dir string) string {
	out, err := command.Run(ctx, command.Cmd{Args: []string{"git", "-C", dir, "describe", "--tags", "--abbrev=0", "--match=v1.*"}})
	if err != nil || !semver.IsValid(out) {
		return ""
	}
	return out
}

// unused are directories of a checkout not compiled into any program.
func unused() []string {
	return []string{".git", "_output", "CHANGELOG", "LICENSES", "docs", "logo", "test"}
}

// Key hashes the names and contents of a checkout's files except tests.
func Key(dir string) (string, error) {
	hash := sha256.New()
	dir, err := filepath.EvalSymlinks(dir) // WalkDir does not follow a link
	if err != nil {
		return "", fmt.Errorf("find the checkout: %w", err)
	}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && filepath.Dir(path) == dir && slices.Contains(unused(), d.Name()) {
			return fs.SkipDir
		}
		if !d.Type().IsRegular() || strings.HasSuffix(d.Name(), "_test.go") {
			return nil
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		content, err := contentKey(path)
		_, _ = fmt.Fprintf(hash, "%q %s\n", rel, content)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("read the checkout: %w", err)
	}
	return hex.EncodeToString(hash.Sum(nil))[:20], nil
}

func contentKey(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}
