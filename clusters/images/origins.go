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
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/images/cache"
	"github.com/dra-conformance/dratest/clusters/images/modules"
	"github.com/dra-conformance/dratest/clusters/images/source"
	"github.com/dra-conformance/dratest/clusters/versions"
)

// origins are the sources of Kubernetes programs; the zero value is the embedded module of the version.
type origins struct {
	checkout *source.Checkout
	release  *source.Release
	// components are built from other checkouts.
	components map[string]source.Checkout
}

func (o origins) program(v versions.Version, name string) modules.Binary {
	b := modules.Kubernetes(v, name)
	checkout, ok := o.components[name]
	switch {
	case ok && checkout.Version.Kubernetes != "":
		b = modules.Kubernetes(checkout.Version, name)
	case ok:
		// A checkout without a version uses the version of the others.
		base, _, _ := strings.Cut(v.Kubernetes, "+")
		v.Kubernetes = base + "+" + checkout.Key[:8]
		b = modules.Kubernetes(v, name)
	case o.checkout != nil:
		checkout = *o.checkout
	case o.release != nil:
		b.Mod, b.Sum = o.release.Mod, o.release.Sum
	}
	if b.Checkout, b.CheckoutKey = checkout.Dir, checkout.Key; b.Checkout != "" {
		b.Usually = 0 // it depends on the changes
	}
	return b
}

// tag returns the moving tag of the image: images with replaced components must not pass for the version's own.
func (o origins) tag(v versions.Version) string {
	tag := imageTag(v.Kubernetes)
	for _, name := range slices.Sorted(maps.Keys(o.components)) {
		tag += "-" + name + "-" + o.components[name].Key[:8]
	}
	return tag
}

// imageTag is a version as an image tag, with "+" replaced as kubeadm does.
func imageTag(version string) string { return strings.ReplaceAll(version, "+", "_") }

// kubernetesImage is kubeadm's name of a component's image.
func kubernetesImage(v versions.Version, program string) string {
	return "registry.k8s.io/" + program + ":" + imageTag(v.Kubernetes)
}

// Validate returns all problems of the options at once.
func (o Options) Validate() error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(o.Components)) {
		if !slices.Contains(source.Programs(), name) {
			errs = append(errs, fmt.Errorf("component: unknown %q, known are %s", name, strings.Join(source.Programs(), ", ")))
		}
		if o.Components[name] == "" {
			errs = append(errs, fmt.Errorf("component: %s has no folder: give it as %s=DIR", name, name))
		}
	}
	return errors.Join(errs...)
}

// origins resolves the options; version becomes that of the source.
func (b *builder) origins(ctx context.Context, version *versions.Version) (o origins, err error) {
	switch info, statErr := os.Stat(b.Source); {
	case b.Source == "":
	case statErr == nil && info.IsDir():
		var checkout source.Checkout
		err = slowly(b.Progress, "read the checkout "+b.Source, 0, func() (err error) {
			checkout, err = source.Open(ctx, b.Source, b.Version)
			return err
		})
		if err == nil && checkout.Version.Kubernetes == "" {
			err = fmt.Errorf("%w: %s has no git tags that tell its version: give it with --version", clusters.ErrUnknownVersion, b.Source)
		}
		o.checkout, *version = &checkout, checkout.Version
	case source.Check(b.Source) != nil:
		err = fmt.Errorf("%w: %s is neither a folder nor a version like v1.38.0-alpha.1", clusters.ErrUnknownVersion, b.Source)
	default:
		o.release, err = b.fetch(ctx)
		if err == nil {
			*version = o.release.Version
		}
	}
	if err != nil {
		return o, err
	}
	for name, dir := range b.Components {
		checkout, err := source.Open(ctx, dir, "")
		if err != nil {
			return o, err
		}
		if o.components == nil {
			o.components = map[string]source.Checkout{}
		}
		o.components[name] = checkout
	}
	return o, nil
}

// fetch makes the module of a version missing from the table.
func (b *builder) fetch(ctx context.Context) (*source.Release, error) {
	temp, err := b.cache.Temp("release-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = cache.RemoveAll(temp) }()
	var r source.Release
	err = slowly(b.Progress, "find what Kubernetes "+b.Source+" requires", 0, func() (err error) {
		r, err = source.Fetch(ctx, b.Source, temp)
		return err
	})
	return &r, err
}
