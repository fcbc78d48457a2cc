package images

import (
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
)

// OwnOptions say which of this project's components to make. The zero value is for
// the newest Kubernetes version.
type OwnOptions struct {
	// Version of Kubernetes as versions.Lookup takes it; empty means the newest.
	Version  string
	Progress *progress.Printer
	// Cache is the cache folder; empty means the default of cache.Open.
	Cache string
	// Where to look for the component's source, or for the program.
	Where own.Where
	// Overlay has changes to the source by their paths in the checkout; programs with
	// them never take the place of those without.
	Overlay map[string][]byte
}

// CanBuild returns the error that Scheduler, Controllers or Kubelet would for what
// a stack has, as far as that can be said without building anything.
func CanBuild(s clusters.Stack, o OwnOptions) error {
	for _, c := range []struct {
		whose   clusters.Implementation
		program string
	}{{s.Scheduler, schedulerProgram}, {s.Controllers, controllersProgram}, {s.Kubelet, kubeletProgram}} {
		if c.whose != clusters.Own {
			continue
		}
		if _, err := findOwn(c.program, o); err != nil {
			return err
		}
	}
	return nil
}

// ownProgram is a component of this project that has been found, and can be built.
type ownProgram struct {
	name    string
	version versions.Version
	source  own.Source
	options OwnOptions
}

// findOwn finds a component and checks that it is of the version. Components are
// made for one Kubernetes version each: that of the libraries that they require.
func findOwn(program string, o OwnOptions) (ownProgram, error) {
	p := ownProgram{name: program, version: versions.Newest(), options: o}
	if o.Version != "" {
		var err error
		if p.version, err = versions.Lookup(o.Version); err != nil {
			return p, err
		}
	}
	values := modules.KubernetesValues(p.version)
	if program == kubeletProgram {
		values = markedValues(values)
	}
	var err error
	if p.source, err = own.Find(own.Program{Name: program, Module: "implementation", Values: values, Overlay: o.Overlay}, o.Where); err != nil {
		return p, err
	}
	library, err := p.source.Requires("k8s.io/component-base")
	if err != nil {
		return p, err
	}
	if has := "v1" + strings.TrimPrefix(library, "v0"); has != p.version.Kubernetes {
		return p, fmt.Errorf("%w for %s: it is of Kubernetes %s, the cluster of %s: use --stack=stock, or --version=%s",
			clusters.ErrUnknownVersion, program, has, p.version.Kubernetes, has)
	}
	return p, nil
}

// build returns the program's path in the cache, where it stands for its content,
// and the content's key.
func (p ownProgram) build(ctx context.Context) (path, key string, err error) {
	c, err := cache.Open(p.options.Cache)
	if err != nil {
		return "", "", err
	}
	say := p.options.Progress
	if say == nil {
		say = &progress.Printer{}
	}
	folder := "own"
	if len(p.options.Overlay) > 0 {
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

// repository is the name of the component's image; its tags are the Kubernetes
// version and the content's key.
func (p ownProgram) repository() string { return "dra-conformance.github.io/" + p.name }

// image is the component as an image of these files.
func (p ownProgram) image(entries []layer.Entry) (clusters.ComponentImage, error) {
	ref := p.repository() + ":" + p.version.Kubernetes + "-" + layer.Key(entries)[:12]
	return componentArchive(ref, p.version, entries, "/usr/local/bin/"+p.name)
}
