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
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/images/cache"
	"github.com/dra-conformance/dratest/clusters/images/source"
	"github.com/dra-conformance/dratest/clusters/versions"
)

// Version finds a Kubernetes version to build. text is as for versions.Lookup, or the root of a checkout of Kubernetes,
// as DIR@v1.38.0-beta.0 if the checkout has no git tags. Versions not listed are recorded in the cache: later calls,
// also of other processes, find them by the returned version. Errors: clusters.ErrUnknownVersion,
// clusters.ErrEnvironment, or of ctx.
func (l Local) Version(ctx context.Context, text string) (versions.Version, error) {
	if v, err := versions.Lookup(text); err == nil && v.Listed() {
		return v, nil // needs no go command
	}
	b, err := newBuilder(ctx, l.options(""))
	if err != nil {
		return versions.Version{}, err
	}
	found, err := b.find(ctx, text, "")
	return found.Version, err
}

// find is Version; empty text means the newest listed version, and the version "as" overrides a checkout's last git tag.
func (b *builder) find(ctx context.Context, text, as string) (source.Source, error) {
	if text == "" {
		return source.Source{Version: versions.Newest()}, nil
	}
	v, err := versions.Lookup(text)
	if err != nil {
		dir, tag := text, ""
		if at := strings.LastIndex(text, "@"); at > 0 && !isFolder(text) {
			dir, tag = text[:at], text[at+1:]
		}
		if !isFolder(dir) {
			return source.Source{}, err
		}
		return b.open(ctx, dir, cmp.Or(tag, as))
	}
	if v.Listed() {
		return source.Source{Version: v}, nil
	}
	if found, ok, err := b.recorded(v.Kubernetes); ok || err != nil {
		return found, err
	}
	if semver.Build(v.Kubernetes) != "" {
		return source.Source{}, fmt.Errorf("%w %q: it is the version of a checkout or a distribution, and no such checkout was used on this machine: name the directory of the checkout",
			clusters.ErrUnknownVersion, text)
	}
	return b.fetch(ctx, v.Kubernetes)
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// open reads and records a checkout.
func (b *builder) open(ctx context.Context, dir, as string) (found source.Source, err error) {
	err = slowly(b.Progress, "read the checkout "+dir, 0, func() (err error) {
		found, err = source.Open(ctx, dir, as)
		return err
	})
	if err != nil {
		return found, err
	}
	if found.Version.Kubernetes == "" {
		return found, fmt.Errorf("%w: %s has no git tags that tell its version: name it as %s@v1.38.0-alpha.1", clusters.ErrUnknownVersion, dir, dir)
	}
	if _, err := versions.Lookup(found.Version.Kubernetes); err != nil {
		return found, err
	}
	return found, b.record(found)
}

// fetch makes and records the module of a version. It works outside of the cache, where a build of another process
// would remove its directory.
func (b *builder) fetch(ctx context.Context, version string) (found source.Source, err error) {
	temp, err := os.MkdirTemp("", "dratest-release-")
	if err != nil {
		return found, fmt.Errorf("make a work directory: %w", err)
	}
	defer func() { _ = os.RemoveAll(temp) }()
	err = slowly(b.Progress, "find what Kubernetes "+version+" requires", 0, func() (err error) {
		found, err = source.Fetch(ctx, version, temp)
		return err
	})
	if err != nil {
		return found, err
	}
	return found, b.record(found)
}

func (b *builder) recordFile(version string) string {
	return b.cache.Path("kubernetes", imageTag(version)+".json")
}

// recorded returns the source found earlier for a version not listed. A damaged record counts as none.
func (b *builder) recorded(version string) (found source.Source, ok bool, err error) {
	data, err := os.ReadFile(b.recordFile(version))
	if errors.Is(err, fs.ErrNotExist) {
		return found, false, nil
	}
	if err != nil {
		return found, false, fmt.Errorf("read the source of Kubernetes %s: %w", version, err)
	}
	if json.Unmarshal(data, &found) != nil || found.Version.Kubernetes != version {
		return source.Source{}, false, nil
	}
	return found, true, nil
}

func (b *builder) record(found source.Source) error {
	data, err := json.Marshal(found)
	if err != nil {
		return fmt.Errorf("record the source of Kubernetes %s: %w", found.Version.Kubernetes, err)
	}
	temp, err := b.cache.Temp("source-")
	if err != nil {
		return err
	}
	defer func() { _ = cache.RemoveAll(temp) }()
	file := filepath.Join(temp, "source.json")
	if err := os.WriteFile(file, data, 0o644); err != nil {
		return fmt.Errorf("record the source of Kubernetes %s: %w", found.Version.Kubernetes, err)
	}
	return b.cache.Publish(file, b.recordFile(found.Version.Kubernetes))
}
