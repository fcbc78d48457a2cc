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
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/dra-conformance/dratest/clusters/command"
	"github.com/dra-conformance/dratest/clusters/engine"
	"github.com/dra-conformance/dratest/clusters/images/cache"
	"github.com/dra-conformance/dratest/clusters/images/layer"
	"github.com/dra-conformance/dratest/clusters/images/modules"
	"github.com/dra-conformance/dratest/clusters/images/own"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/clusters/versions"
)

// Names of the images in the engine.
const (
	nodeRepository  = "dratest/node"
	stageRepository = "dratest/stage"
)

// Labels of everything builds leave in the engine.
const (
	labelStage   = "io.dratest.stage"   // base, components or node
	labelVersion = "io.dratest.version" // of Kubernetes
	labelParents = "io.dratest.parents" // references of the stages below

	// labelBuilding has the value "building" on containers of a build. Images inherit the labels of the container they
	// are committed from, and containers those of their image, so images get another value: otherwise every node of
	// every cluster would count as a leftover.
	labelBuilding = "io.dratest.building"
	building      = "true"
	built         = "false"
)

// Options selects the node image to build. The zero value is the newest version on this machine.
type Options struct {
	// Version as Local.Version takes it; empty means the newest listed one.
	Version string
	// Restricted builds an image for a machine without CAP_SYS_RESOURCE; see the function Restricted.
	Restricted bool
	Progress   *progress.Printer
	// Cache is the cache directory; empty means the default of cache.Open.
	Cache  string
	Engine engine.Engine
	// Source is a checkout of Kubernetes or a version not listed; Version then gives the version of a checkout without
	// tags.
	Source string
	// Components are checkouts of single components, by name.
	Components map[string]string
}

type builder struct {
	Options

	cache   cache.Cache
	modules modules.Builder
	plan    plan
}

// Node builds missing stages of a node image and returns its name in the engine, unique for its content. If nothing
// is missing it takes about a second and prints nothing. Errors: clusters.ErrUnknownVersion, clusters.ErrEnvironment
// with advice, of the build, or of ctx.
func Node(ctx context.Context, o Options) (string, error) {
	if err := o.Validate(); err != nil {
		return "", err
	}
	if o.Progress == nil {
		o.Progress = &progress.Printer{}
	}
	b, err := newBuilder(ctx, o)
	if command.NotFound(err) && o.Source == "" && len(o.Components) == 0 {
		// A machine without the means to build uses the image built for it.
		if moving, ok := readyImage(ctx, o); ok {
			o.Progress.Printf("  -- no Go on this machine: taking the node image %s as it is", moving)
			return moving, nil
		}
	}
	if err != nil {
		return "", err
	}
	from, err := b.origins(ctx)
	if err != nil {
		return "", err
	}
	version := from.source.Version
	moving := nodeRepository + ":" + from.tag(version)
	sim, err := b.sim(ctx)
	if err != nil {
		return "", err
	}
	if b.plan, err = newPlan(version, o.Restricted, from, b.modules.Path, sim); err != nil {
		return "", err
	}
	ref := moving + "-" + b.plan.keys.node
	if err := b.ensure(ctx, ref); err != nil {
		return "", fmt.Errorf("build node image %s: %w", version.Kubernetes, err)
	}
	if _, err := o.Engine.Run(ctx, "tag", "--", ref, moving); err != nil {
		return "", fmt.Errorf("name the node image: %w", err)
	}
	return ref, nil
}

// readyImage returns the image last built for a version, if the engine has one.
func readyImage(ctx context.Context, o Options) (moving string, ok bool) {
	version, err := versions.Lookup(cmp.Or(o.Version, versions.Newest().Kubernetes))
	if err != nil {
		return "", false
	}
	moving = nodeRepository + ":" + imageTag(version.Kubernetes)
	_, ok, err = o.Engine.Image(ctx, moving)
	return moving, ok && err == nil
}

func newBuilder(ctx context.Context, o Options) (*builder, error) {
	if o.Progress == nil {
		o.Progress = &progress.Printer{}
	}
	c, err := cache.Open(o.Cache)
	if err != nil {
		return nil, err
	}
	m, err := modules.NewBuilder(ctx, c, o.Progress)
	return &builder{Options: o, cache: c, modules: m}, err
}

// sim builds the test driver as a file of a node.
func (b *builder) sim(ctx context.Context) (layer.Entry, error) {
	path, key, err := buildSim(ctx, b.cache, b.Progress, own.Where{})
	if err != nil {
		return layer.Entry{}, err
	}
	return simEntry(path, key), nil
}

// buildSim builds the test driver, cached by content: unlike the other programs it changes with every change of this
// repository, and is quick to build.
func buildSim(ctx context.Context, c cache.Cache, say *progress.Printer, where own.Where) (path, key string, err error) {
	const name = "dra-sim"
	if say == nil {
		say = &progress.Printer{}
	}
	var built string
	err = slowly(say, "build "+name, 40*time.Second, func() (err error) {
		built, err = own.Binary(ctx, name, c.Path("own"), where)
		return err
	})
	if err != nil {
		return "", "", err
	}
	return keep(c, built)
}

// keep copies a program to a content-addressed path, as the next build overwrites it, and returns the
// path and the key.
func keep(c cache.Cache, built string) (kept, key string, err error) {
	if key, err = contentKey(built); err != nil {
		return "", "", err
	}
	name := filepath.Base(built)
	kept = c.Path("own", key, name)
	if cache.HasProgram(kept) {
		return kept, key, nil
	}
	temp, err := c.Temp("own-")
	if err != nil {
		return "", "", err
	}
	defer func() { _ = cache.RemoveAll(temp) }()
	copied := filepath.Join(temp, name)
	if err := copyFile(built, copied); err != nil {
		return "", "", err
	}
	return kept, key, c.Publish(copied, kept)
}

// slowly is Progress.Step for steps that are usually instant; it then prints nothing.
func slowly(p *progress.Printer, what string, usually time.Duration, do func() error) error {
	done := make(chan error, 1)
	go func() { done <- do() }()
	timer := time.NewTimer(3 * time.Second)
	defer timer.Stop()
	select {
	case err := <-done:
		return err
	case <-timer.C:
		return p.Step(what, usually, func() error { return <-done })
	}
}

func simEntry(path, key string) layer.Entry {
	return layer.Entry{Path: "usr/local/bin/dra-sim", Mode: 0o755, File: path, Key: key}
}

// ensure builds the missing stages, starting after the last existing one.
func (b *builder) ensure(ctx context.Context, ref string) error {
	return b.ifMissing(ctx, ref, func() error {
		base := stageRepository + ":" + b.plan.keys.base
		components := stageRepository + ":" + b.plan.keys.components
		if err := b.ensureComponents(ctx, base, components); err != nil {
			return err
		}
		return b.preload(ctx, stage{from: components, to: ref, name: "node", parents: []string{base, components}}, b.plan.suite)
	})
}

// ifMissing calls build for a missing image, with other processes' builds locked out.
func (b *builder) ifMissing(ctx context.Context, ref string, build func() error) error {
	if ok, err := b.has(ctx, ref); ok || err != nil {
		return err
	}
	unlock, err := b.cache.Lock(ctx, b.Progress)
	if err != nil {
		return err
	}
	defer unlock()
	// Another process may have built it meanwhile; a killed build may have left something behind.
	if ok, err := b.has(ctx, ref); ok || err != nil {
		return err
	}
	if err := b.clean(ctx); err != nil {
		return err
	}
	return build()
}

func (b *builder) ensureComponents(ctx context.Context, base, components string) error {
	if ok, err := b.has(ctx, components); ok || err != nil {
		return err
	}
	// Slowest first; the kubelet and others then reuse packages compiled for the API server.
	for _, binary := range append(append([]modules.Binary{}, b.plan.imagePrograms...), b.plan.nodePrograms...) {
		if _, err := b.modules.Build(ctx, binary); err != nil {
			return err
		}
	}
	rootfs, err := b.plan.rootfs.Build(ctx, b.cache, b.Progress)
	if err != nil {
		return err
	}
	if ok, err := b.has(ctx, base); err != nil {
		return err
	} else if !ok {
		if err := b.buildBase(ctx, rootfs, base); err != nil {
			return err
		}
	}
	return b.preload(ctx, stage{from: base, to: components, name: "components", parents: []string{base}}, b.plan.components)
}

func (b *builder) has(ctx context.Context, ref string) (bool, error) {
	_, ok, err := b.Engine.Image(ctx, ref)
	return ok, err
}

// labels returns the labels of a stage's image in a fixed order.
func (b *builder) labels(name string, parents []string) [][2]string {
	return [][2]string{
		{labelStage, name},
		{labelVersion, b.plan.version.Kubernetes},
		{labelParents, strings.Join(parents, " ")},
	}
}

// engineSpace checks the engine's disk if it is local.
func (b *builder) engineSpace(ctx context.Context, need int64, what string) (string, error) {
	dir, err := b.Engine.RootDir(ctx)
	if err != nil {
		return "", err
	}
	if !filepath.IsAbs(dir) || !cache.Exists(dir) {
		dir = b.cache.Dir
	}
	return dir, cache.NeedSpace(dir, need, what)
}
