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
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/images/cache"
	"github.com/dra-conformance/dratest/clusters/images/layer"
	"github.com/dra-conformance/dratest/clusters/images/published"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/clusters/versions"
)

// publishedMark is the suffix of the moving tag of images based on published ones.
const publishedMark = "-published"

// NodeImage returns the node image for a cluster: kind's published one with the pod images preloaded, or that of
// Node. It prints the choice and its reason in one line. Errors are those of Node.
func (l Local) NodeImage(ctx context.Context, c clusters.Config) (string, error) {
	o := l.options(c.Version)
	o.Restricted = Restricted()
	return pick(ctx, o, c.NodeImageSource, c.NodeImageRegistry)
}

// pick is NodeImage for a source and registry of clusters.Config.
func pick(ctx context.Context, o Options, source clusters.NodeImageSource, registry string) (string, error) {
	if o.Progress == nil {
		o.Progress = &progress.Printer{}
	}
	if registry == "" {
		registry = clusters.DefaultRegistry
	}
	version, err := Local{Progress: o.Progress, Cache: o.Cache}.Version(ctx, cmp.Or(o.Version, versions.Newest().Kubernetes))
	if err != nil {
		return "", err
	}
	exact := strings.Count(o.Version, ".") >= 2
	facts := published.Facts{Source: source, Images: published.Images(version, exact, registry)}
	choice, err := choose(ctx, o, &facts, version, published.Pods(registry))
	if err != nil {
		return "", err
	}
	var failures []error
	for _, image := range choice.Take {
		o.Progress.Printf("  -- node image: %s, published by kind: %s", image, choice.Reason)
		ref, err := takePublished(ctx, o, image, published.Pods(registry))
		if err == nil {
			return ref, nil
		}
		if ctx.Err() != nil {
			return "", err
		}
		failures = append(failures, err)
	}
	if source == clusters.SourceRegistry {
		if len(failures) == 0 {
			failures = []error{errors.New(choice.Reason)}
		}
		return "", fmt.Errorf("%w: no node image of %s can be had (--node-image-source=build builds one): %w", clusters.ErrEnvironment, version.Kubernetes, errors.Join(failures...))
	}
	if len(failures) > 0 {
		choice.Reason = errors.Join(failures...).Error()
	}
	o.Progress.Printf("  -- node image: %s, built on this machine: %s", version.Kubernetes, choice.Reason)
	o.Version = version.Kubernetes
	return Node(ctx, o)
}

// choose gathers as few facts as the choice needs.
func choose(ctx context.Context, o Options, f *published.Facts, version versions.Version, pods string) (published.Choice, error) {
	if f.Source == clusters.SourceBuild {
		return published.Choose(*f), nil
	}
	info, err := o.Engine.Info(ctx)
	if err != nil {
		return published.Choice{}, err
	}
	switch {
	case o.Restricted:
		f.Variant = "this machine lacks CAP_SYS_RESOURCE and needs a variant of the image"
	case info.CgroupV1:
		// Debian 13's systemd in published images does not support it.
		f.Variant = "the engine's machine has cgroup v1, with which published images do not start"
	}
	for _, image := range f.Images {
		_, ok, err := o.Engine.Image(ctx, image.Ref)
		if err != nil {
			return published.Choice{}, err
		}
		if ok && f.Here == nil {
			f.Here = &image
		}
	}
	if _, f.Built, err = o.Engine.Image(ctx, nodeRepository+":"+imageTag(version.Kubernetes)); err != nil {
		return published.Choice{}, err
	}
	choice := published.Choose(*f)
	if !choice.Ask {
		return choice, nil
	}
	f.Asked = true
	found, err := published.Registry{Engine: info.Registries}.Find(ctx, f.Images, pods)
	if f.Why = err; err == nil {
		f.Found = &found
	}
	return published.Choose(*f), ctx.Err()
}

// takePublished pulls a published image if missing, and preloads the pod images. It needs neither root nor Go if
// dra-sim lies beside the running executable.
func takePublished(ctx context.Context, o Options, image published.Image, pods string) (string, error) {
	c, err := cache.Open(o.Cache)
	if err != nil {
		return "", err
	}
	b := &builder{Options: o, cache: c, plan: plan{version: versions.Version{Kubernetes: image.Version}}}
	base, err := b.pull(ctx, image.Ref, 2*time.Minute)
	if err != nil {
		return "", err
	}
	busybox, err := b.pull(ctx, pods, 5*time.Second)
	if err != nil {
		return "", err
	}
	sim, err := b.sim(ctx)
	if err != nil {
		return "", err
	}
	b.plan.suite = publishedSuite(sim, busybox)
	moving := nodeRepository + ":" + image.Version + publishedMark
	ref := moving + "-" + digest(recipe, base, componentKeys(b.plan.suite))
	if err := b.ensurePublished(ctx, base, ref); err != nil {
		return "", fmt.Errorf("preload node image %s: %w", image.Ref, err)
	}
	if _, err := o.Engine.Run(ctx, "tag", "--", ref, moving); err != nil {
		return "", fmt.Errorf("name the node image: %w", err)
	}
	return ref, nil
}

// publishedSuite is suiteImages with a busybox image of the engine, by its ID.
func publishedSuite(sim layer.Entry, busybox string) []component {
	suite := suiteImages(sim)
	for i, c := range suite {
		if c.ref == Busybox {
			suite[i] = component{ref: Busybox, image: busybox}
		}
	}
	return suite
}

// pull makes the engine pull an image, with its mirrors and credentials, and returns its ID.
func (b *builder) pull(ctx context.Context, ref string, usually time.Duration) (id string, err error) {
	image, ok, err := b.Engine.Image(ctx, ref)
	if err != nil || ok {
		return image.ID, err
	}
	err = b.Progress.Step("pull "+ref, usually, func() error {
		_, err := b.Engine.Run(ctx, "pull", "--quiet", "--", ref)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("pull %s: %w", ref, err)
	}
	image, ok, err = b.Engine.Image(ctx, ref)
	if err == nil && !ok {
		err = fmt.Errorf("pull %s: the engine does not have it afterwards", ref)
	}
	return image.ID, err
}

func (b *builder) ensurePublished(ctx context.Context, base, ref string) error {
	return b.ifMissing(ctx, ref, func() error {
		return b.preload(ctx, stage{from: base, to: ref, name: "node"}, b.plan.suite)
	})
}

// clean removes leftovers of killed builds. Only the holder of the cache's lock may call it.
func (b *builder) clean(ctx context.Context) error {
	if err := b.cache.CleanTemp(); err != nil {
		return err
	}
	return b.Engine.RemoveContainers(ctx, labelBuilding+"="+building)
}

// fromEngine reads an image of the engine; it is valid as long as dir exists.
func (b *builder) fromEngine(ctx context.Context, id, dir string) (v1.Image, error) {
	archive := filepath.Join(dir, strings.TrimPrefix(id, "sha256:")+".tar")
	if _, err := b.Engine.Run(ctx, "save", "--output", archive, "--", id); err != nil {
		return nil, err
	}
	image, err := tarball.ImageFromPath(archive, nil)
	if err != nil {
		return nil, fmt.Errorf("read what the engine has saved: %w", err)
	}
	return image, nil
}
