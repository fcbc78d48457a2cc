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
	"slices"
	"strings"

	"github.com/dra-conformance/dratest/clusters/images/modules"
	"github.com/dra-conformance/dratest/clusters/images/source"
	"github.com/dra-conformance/dratest/clusters/versions"
)

// origins are the sources of Kubernetes programs; the zero value is the embedded module of the version.
type origins struct {
	source source.Source
	// components are built from other checkouts.
	components map[string]source.Source
}

func (o origins) program(v versions.Version, name string) modules.Binary {
	from := o.source
	component, ok := o.components[name]
	switch {
	case ok && component.Version.Kubernetes != "":
		from, v = component, component.Version
	case ok:
		// A checkout without a version uses the version of the others.
		base, _, _ := strings.Cut(v.Kubernetes, "+")
		from, v.Kubernetes = component, base+"+"+component.Key[:8]
	}
	b := modules.Kubernetes(v, name)
	b.Mod, b.Sum, b.Checkout, b.CheckoutKey = from.Mod, from.Sum, from.Dir, from.Key
	if b.Checkout != "" {
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
			errs = append(errs, fmt.Errorf("component: %s has no directory: give it as %s=DIR", name, name))
		}
	}
	return errors.Join(errs...)
}

// origins finds the sources of the options' node image.
func (b *builder) origins(ctx context.Context) (o origins, err error) {
	if b.Source != "" {
		o.source, err = b.find(ctx, b.Source, b.Version)
	} else {
		o.source, err = b.find(ctx, b.Version, "")
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
			o.components = map[string]source.Source{}
		}
		o.components[name] = checkout
	}
	return o, nil
}
