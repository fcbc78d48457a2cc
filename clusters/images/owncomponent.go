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
	"strings"
	"time"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/images/cache"
	"github.com/dra-conformance/dratest/clusters/images/layer"
	"github.com/dra-conformance/dratest/clusters/images/modules"
	"github.com/dra-conformance/dratest/clusters/images/own"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/clusters/versions"
	"github.com/dra-conformance/dratest/framework/spec"
)

// CanBuild returns the error of Scheduler, Controllers or Kubelet for a stack as far as known without building.
func (l Local) CanBuild(s clusters.Stack, version string) error {
	for _, c := range []struct {
		whose   spec.Provenance
		program string
	}{{s.Scheduler, schedulerProgram}, {s.Controllers, controllersProgram}, {s.Kubelet, kubeletProgram}} {
		if c.whose != spec.Own {
			continue
		}
		if _, err := l.findOwn(c.program, version); err != nil {
			return err
		}
	}
	return nil
}

type ownProgram struct {
	name    string
	version versions.Version
	source  own.Source
	local   Local
}

// findOwn finds a component and checks its version: each is built for one Kubernetes version, that of its library
// requirements.
func (l Local) findOwn(program, version string) (ownProgram, error) {
	p := ownProgram{name: program, local: l}
	var err error
	if p.version, err = versions.Lookup(cmp.Or(version, versions.Newest().Kubernetes)); err != nil {
		return p, err
	}
	values := modules.KubernetesValues(p.version)
	if program == kubeletProgram {
		values = markedValues(values)
	}
	if p.source, err = own.Find(own.Program{Name: program, Module: "implementation", Values: values, Overlay: l.Overlay}, l.Where); err != nil {
		return p, err
	}
	library, err := p.source.Requires("k8s.io/component-base")
	if err != nil {
		return p, err
	}
	if has := "v1" + strings.TrimPrefix(library, "v0"); has != p.version.Kubernetes {
		return p, fmt.Errorf("%w for %s: it is built for Kubernetes %s, the cluster has %s: use --stack=stock or Kubernetes %s",
			clusters.ErrUnknownVersion, program, has, p.version.Kubernetes, has)
	}
	return p, nil
}

// build returns the program's content-addressed path in the cache and the content's key.
func (p ownProgram) build(ctx context.Context) (path, key string, err error) {
	c, err := cache.Open(p.local.Cache)
	if err != nil {
		return "", "", err
	}
	say := p.local.Progress
	if say == nil {
		say = &progress.Printer{}
	}
	folder := "own"
	if len(p.local.Overlay) > 0 {
		folder = "own-changed"
	}
	var built string
	err = slowly(say, "build "+p.name, 2*time.Minute, func() (err error) {
		built, err = p.source.Build(ctx, c.Path(folder))
		return err
	})
	if err != nil {
		return "", "", err
	}
	return keep(c, built)
}

// repository is the name of the component's image; tags are the Kubernetes version and the content's key.
func (p ownProgram) repository() string { return "dra-conformance.github.io/" + p.name }

// image packs the files as the component's image.
func (p ownProgram) image(entries []layer.Entry) (clusters.ComponentImage, error) {
	ref := p.repository() + ":" + p.version.Kubernetes + "-" + layer.Key(entries)[:12]
	return componentArchive(ref, p.version, entries, "/usr/local/bin/"+p.name)
}
