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
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dra-conformance/dratest/clusters/command"
	"github.com/dra-conformance/dratest/clusters/engine"
	"github.com/dra-conformance/dratest/clusters/images/cache"
	"github.com/dra-conformance/dratest/clusters/images/debian"
	"github.com/dra-conformance/dratest/clusters/images/modules"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/clusters/versions"
)

// PruneOptions selects what to remove. The zero value removes everything not needed by a current image or a known
// version.
type PruneOptions struct {
	// All removes current images and the whole cache, too.
	All bool
	// DryRun only reports.
	DryRun   bool
	Progress *progress.Printer
	Cache    string
	Engine   engine.Engine
}

// Pruned lists removed items, or with DryRun the items to remove.
type Pruned struct {
	Images []string `json:"images"`
	Files  []string `json:"files"`
	// FileBytes is the size of Files. The space freed by images is known only to the engine, since they share layers.
	FileBytes int64 `json:"fileBytes"`
	// Kept are images in use by a container, with the reason.
	Kept []string `json:"kept,omitempty"`
}

// Prune removes images and cache entries. It waits for builds to end.
func Prune(ctx context.Context, o PruneOptions) (Pruned, error) {
	var p Pruned
	if o.Progress == nil {
		o.Progress = &progress.Printer{}
	}
	c, err := cache.Open(o.Cache)
	if err != nil {
		return p, err
	}
	unlock, err := c.Lock(ctx, o.Progress)
	if err != nil {
		return p, err
	}
	defer unlock()
	if err := p.images(ctx, o); err != nil {
		return p, err
	}
	return p, p.files(ctx, c, o)
}

func (p *Pruned) images(ctx context.Context, o PruneOptions) error {
	found, err := List(ctx, o.Engine)
	if err != nil {
		return err
	}
	// By version and stage, from the node image down: an image is removed before its base.
	for _, image := range found {
		if image.Current && !o.All {
			continue
		}
		refs := image.tags
		if len(refs) == 0 {
			refs = []string{image.id}
		}
		if !o.DryRun {
			_, err := o.Engine.Run(ctx, append([]string{"rmi"}, refs...)...)
			var failed *command.Error
			if errors.As(err, &failed) {
				p.Kept = append(p.Kept, fmt.Sprintf("%s: %s", image.Ref, failed.Output))
				continue
			}
			if err != nil {
				return err
			}
		}
		p.Images = append(p.Images, image.Ref)
	}
	return nil
}

func (p *Pruned) files(ctx context.Context, c cache.Cache, o PruneOptions) error {
	wanted := map[string]bool{}
	if !o.All {
		var err error
		if wanted, err = wantedFiles(ctx, c); err != nil {
			return fmt.Errorf("find what the known versions need: %w", err)
		}
	}
	for _, folder := range []string{"bin", "rootfs", "tmp", "modules", "own", "debs"} {
		if !o.All && (folder == "modules" || folder == "debs") {
			continue // small, or spares a download
		}
		entries, err := os.ReadDir(c.Path(folder))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("read the cache: %w", err)
		}
		for _, e := range entries {
			if path := c.Path(folder, e.Name()); !wanted[path] {
				if err := p.remove(path, o.DryRun); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (p *Pruned) remove(path string, dryRun bool) error {
	err := filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			p.FileBytes += info.Size()
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("measure %s: %w", path, err)
	}
	p.Files = append(p.Files, path)
	if dryRun {
		return nil
	}
	return cache.RemoveAll(path)
}

// wantedFiles are the cache entries of all known versions. They cannot be computed without a go command.
func wantedFiles(ctx context.Context, c cache.Cache) (map[string]bool, error) {
	b, err := modules.NewBuilder(ctx, c, &progress.Printer{})
	if err != nil {
		return nil, err
	}
	wanted := map[string]bool{debian.Node().Path(c): true}
	for _, v := range versions.All() {
		plan, err := newPlan(v, false, origins{}, b.Path, simEntry("", ""))
		if err != nil {
			return nil, err
		}
		for _, binary := range slices.Concat(plan.nodePrograms, plan.imagePrograms, []modules.Binary{modules.Kwok(), modules.TestDriver()}) {
			path, _, err := b.Path(binary)
			if err != nil {
				return nil, err
			}
			wanted[filepath.Dir(path)] = true
		}
	}
	return wanted, nil
}

// String summarizes the removed items.
func (p Pruned) String() string {
	var s strings.Builder
	for _, i := range p.Images {
		_, _ = fmt.Fprintf(&s, "image %s\n", i)
	}
	for _, f := range p.Files {
		_, _ = fmt.Fprintf(&s, "file  %s\n", f)
	}
	for _, k := range p.Kept {
		_, _ = fmt.Fprintf(&s, "kept  %s\n", k)
	}
	_, _ = fmt.Fprintf(&s, "%d images, %d files (%s)\n", len(p.Images), len(p.Files), cache.Size(p.FileBytes))
	return s.String()
}
