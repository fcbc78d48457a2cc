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
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"runtime"

	"github.com/dra-conformance/dratest/clusters/images/debian"
	"github.com/dra-conformance/dratest/clusters/images/layer"
	"github.com/dra-conformance/dratest/clusters/images/modules"
	"github.com/dra-conformance/dratest/clusters/images/suite"
	"github.com/dra-conformance/dratest/clusters/versions"
)

// Images used by cases, preloaded in every node image so that pods never pull.
const (
	Busybox = suite.Busybox
	Sim     = suite.Sim
)

func pauseImage(v versions.Version) string { return "registry.k8s.io/pause:" + v.Pause }

//go:embed pause/main.go
var pauseSource []byte

// plan lists the contents of a node image. It is computed without building: keys identify the content
// of future files.
type plan struct {
	version    versions.Version
	restricted bool
	rootfs     debian.Rootfs
	// nodePrograms and imagePrograms are built before the base and the components stage.
	nodePrograms, imagePrograms []modules.Binary
	// layers of the base stage above the root file system, most stable first.
	runtime, kubernetes []layer.Entry
	edits               []edit
	components, suite   []component
	keys                keys
}

// keys name the stages; each includes its predecessor.
type keys struct{ base, components, node string }

type component struct {
	ref   string
	files []layer.Entry
	// packages and paths are taken from the root file system.
	packages, paths []string
	// applets adds busybox's commands as links.
	applets    bool
	entrypoint []string
	// image is the ID of an engine image to use as is.
	image string
}

// program returns the (future) path of a program and the key of its content.
type program func(modules.Binary) (path, key string, err error)

// newPlan plans a node image; sim is the test driver's executable as an entry.
func newPlan(v versions.Version, restricted bool, from origins, at program, sim layer.Entry) (plan, error) {
	p := plan{version: v, restricted: restricted, rootfs: debian.Node(), edits: edits(v, restricted)}
	var failed error
	install := func(dir string, b modules.Binary) layer.Entry {
		path, key, err := at(b)
		if err != nil {
			failed = err
		}
		return layer.Entry{Path: dir + b.Name, Mode: 0o755, File: path, Key: key}
	}
	for _, b := range modules.Runtime() {
		p.nodePrograms = append(p.nodePrograms, b)
		p.runtime = append(p.runtime, install("usr/local/bin/", b))
	}
	for _, name := range []string{"kubeadm", "kubelet", "kubectl"} {
		b := from.program(v, name)
		p.nodePrograms = append(p.nodePrograms, b)
		p.kubernetes = append(p.kubernetes, install("usr/bin/", b))
	}
	p.kubernetes = append(p.kubernetes,
		layer.Entry{Path: "kind/version", Data: []byte(v.Kubernetes)}, // kind reads it to the last byte: no newline
		layer.Entry{Path: "etc/kubernetes/manifests/"})
	image := func(ref string, b modules.Binary) component {
		p.imagePrograms = append(p.imagePrograms, b)
		return component{ref: ref, files: []layer.Entry{install("usr/local/bin/", b)}}
	}
	// The API server first: it compiles most packages shared with the others.
	for _, name := range []string{"kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy"} {
		c := image(kubernetesImage(v, name), from.program(v, name))
		if name == "kube-proxy" {
			c.packages, c.paths = proxyPackages, proxyLinks
		}
		p.components = append(p.components, c)
	}
	pause := image(pauseImage(v), modules.Binary{Name: "pause", Source: pauseSource})
	pause.entrypoint = []string{"/usr/local/bin/pause"}
	p.components = append(p.components, image("registry.k8s.io/etcd:"+v.Etcd, modules.Etcd()), pause)
	p.suite = suiteImages(sim)
	p.keys = p.computeKeys()
	return p, failed
}

// suiteImages are the images of cases and their driver.
func suiteImages(sim layer.Entry) []component {
	account := suite.Account()
	return []component{
		// Not the static one: it cannot resolve names. The -T option of its wget crashes in Debian 12, so
		// cases call "timeout 5 wget".
		{ref: Busybox, files: account, packages: []string{"busybox", "libc6"}, applets: true},
		{ref: Sim, files: append([]layer.Entry{sim}, account...), entrypoint: []string{"/" + sim.Path}},
	}
}

// proxyPackages are kube-proxy's dependencies: iptables and nft with their libraries.
//
//nolint:gochecknoglobals // a table
var proxyPackages = []string{
	"iptables", "libip4tc2", "libip6tc2", "libxtables12", "libmnl0", "libnfnetlink0", "libnetfilter-conntrack3", "libnftnl11", "netbase",
	"nftables", "libnftables1", "libedit2", "libbsd0", "libgmp10", "libjansson4", "libmd0", "libtinfo6", "libc6",
}

// proxyLinks choose iptables' nft variant; no package owns them.
//
//nolint:gochecknoglobals // a table
var proxyLinks = []string{
	"usr/sbin/iptables", "usr/sbin/iptables-save", "usr/sbin/iptables-restore",
	"usr/sbin/ip6tables", "usr/sbin/ip6tables-save", "usr/sbin/ip6tables-restore",
	"etc/alternatives/iptables", "etc/alternatives/iptables-save", "etc/alternatives/iptables-restore",
	"etc/alternatives/ip6tables", "etc/alternatives/ip6tables-save", "etc/alternatives/ip6tables-restore",
}

// recipe is part of every key. Raise it when stages are assembled differently from the same inputs.
const recipe = 1

func (p plan) computeKeys() keys {
	var k keys
	k.base = digest(recipe, runtime.GOARCH, p.rootfs.Key(), kindSum, fmt.Sprint(p.edits),
		layer.Key(unitEntries()), layer.Key(cniEntries()), layer.Key(p.runtime), layer.Key(p.kubernetes))
	k.components = digest(k.base, componentKeys(p.components))
	k.node = digest(k.components, componentKeys(p.suite))
	return k
}

func componentKeys(components []component) string {
	all := ""
	for _, c := range components {
		all += fmt.Sprintf("%q %s %q %q %t %q\n", c.ref, layer.Key(c.files), c.packages, c.paths, c.applets, c.entrypoint)
		if c.image != "" {
			all += c.image + "\n"
		}
	}
	return all
}

func digest(parts ...any) string {
	hash := sha256.New()
	for _, part := range parts {
		_, _ = fmt.Fprintf(hash, "%v\x00", part)
	}
	return hex.EncodeToString(hash.Sum(nil))[:12]
}
