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

package modules

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"go/version"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"

	"github.com/dra-conformance/dratest/clusters/versions"
)

//go:embed *.mod *.sum
var files embed.FS

// Binary is a program to build: a package of an embedded module, or a single source file.
type Binary struct {
	Name string
	// Module is the stem of the embedded .mod and .sum files.
	Module  string
	Package string
	Tags    string
	// Values are set with the linker's -X, as "path.name=value".
	Values []string
	// Source is a main package using only the standard library, built instead of Module and Package.
	Source []byte
	// Mod and Sum are taken instead of Module's files.
	Mod, Sum []byte
	// Checkout is a directory with its own module; Package is built there instead of in Module.
	// CheckoutKey identifies its content.
	Checkout, CheckoutKey string
	// Usually is the duration of the first build on two cores.
	Usually time.Duration
}

// Kubernetes returns a program of a Kubernetes version, such as "kubelet".
func Kubernetes(v versions.Version, name string) Binary {
	usually := 25 * time.Second
	switch name {
	case "kube-apiserver":
		usually = 5 * time.Minute // compiles most shared packages
	case "kube-controller-manager":
		usually = 80 * time.Second
	}
	return Binary{
		Name:    name,
		Module:  "kubernetes-" + v.Kubernetes,
		Package: "k8s.io/kubernetes/cmd/" + name,
		Values:  KubernetesValues(v),
		Usually: usually,
	}
}

// KubernetesValues are linker values to make binaries report their version as a release does: kubeadm and the API
// server refuse to work as v0.0.0. A module has no commit; its path and version are as exact and replace it.
func KubernetesValues(v versions.Version) []string {
	major, rest, _ := strings.Cut(strings.TrimPrefix(v.Kubernetes, "v"), ".")
	minor, _, _ := strings.Cut(rest, ".")
	var values []string
	for _, pkg := range []string{"k8s.io/component-base/version", "k8s.io/client-go/pkg/version"} {
		values = append(values,
			pkg+".gitVersion="+v.Kubernetes,
			pkg+".gitMajor="+major,
			pkg+".gitMinor="+minor,
			pkg+".gitCommit=k8s.io/kubernetes@"+v.Kubernetes,
			pkg+".gitTreeState=clean",
			pkg+".buildDate="+v.Built,
		)
	}
	return values
}

// Runtime returns containerd with its shim and clients.
func Runtime() []Binary {
	const (
		containerd = "github.com/containerd/containerd/v2/cmd/"
		tags       = "no_btrfs,no_zfs,no_devmapper,no_aufs"
	)
	version := []string{"github.com/containerd/containerd/v2/version.Version=" + required("runtime", "github.com/containerd/containerd/v2")}
	return []Binary{
		{Name: "containerd", Module: "runtime", Package: containerd + "containerd", Tags: tags, Values: version, Usually: time.Minute},
		{Name: "containerd-shim-runc-v2", Module: "runtime", Package: containerd + "containerd-shim-runc-v2", Tags: tags, Usually: 5 * time.Second},
		{Name: "ctr", Module: "runtime", Package: containerd + "ctr", Tags: tags, Usually: 5 * time.Second},
		{Name: "crictl", Module: "runtime", Package: "sigs.k8s.io/cri-tools/cmd/crictl", Tags: tags, Usually: 10 * time.Second},
	}
}

// required is the version of a dependency in an embedded module, or "".
func required(module, path string) string {
	mod, err := files.ReadFile(module + ".mod")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(mod)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == path {
			return fields[1]
		}
	}
	return ""
}

// Etcd returns the etcd server.
func Etcd() Binary {
	return Binary{Name: "etcd", Module: "etcd", Package: "go.etcd.io/etcd/server/v3", Usually: 25 * time.Second}
}

// Kwok returns the node simulator.
func Kwok() Binary {
	return Binary{Name: "kwok", Module: "kwok", Package: "sigs.k8s.io/kwok/cmd/kwok", Usually: 90 * time.Second}
}

// TestDriver returns the DRA driver of upstream's end-to-end tests.
func TestDriver() Binary {
	return Binary{Name: "dra-test-driver", Module: "test-driver", Package: "k8s.io/kubernetes/test/e2e/dra/test-driver", Usually: time.Minute}
}

// Key identifies the result of a build by its inputs. goVersion is the value of "go env GOVERSION" outside of any module.
func (b Binary) Key(goVersion string) (string, error) {
	mod, sum, err := b.moduleFiles()
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	for _, part := range append([]string{b.toolchain(goVersion, mod), runtime.GOARCH, b.Name, b.Package, string(mod), string(sum), string(b.Source)}, b.flags()...) {
		_, _ = fmt.Fprintf(hash, "%d %s\n", len(part), part)
	}
	return hex.EncodeToString(hash.Sum(nil))[:20], nil
}

var requiredGo = regexp.MustCompile(`(?m)^(?:go |toolchain go)([\w.-]+)`)

// toolchain returns the Go version compiling the binary: that of the go command, or a newer one required by the module,
// to which the go command switches.
func (b Binary) toolchain(goVersion string, mod []byte) string {
	if b.Checkout != "" {
		mod = nil
		for _, name := range []string{"go.mod", "go.work"} {
			content, _ := os.ReadFile(filepath.Join(b.Checkout, name)) // a missing checkout cannot be built anyway
			mod = append(append(mod, content...), '\n')
		}
	}
	for _, found := range requiredGo.FindAllSubmatch(mod, -1) {
		if wanted := "go" + string(found[1]); version.IsValid(goVersion) && version.Compare(wanted, goVersion) > 0 {
			goVersion = wanted
		}
	}
	return goVersion
}

func (b Binary) moduleFiles() (mod, sum []byte, err error) {
	if b.Source != nil {
		return []byte("module " + b.Name + "\n\ngo 1.25\n"), nil, nil
	}
	if b.Checkout != "" {
		return []byte(b.CheckoutKey), nil, nil
	}
	if b.Mod != nil {
		return b.Mod, b.Sum, nil
	}
	if mod, err = files.ReadFile(b.Module + ".mod"); err != nil {
		return nil, nil, fmt.Errorf("read the module of %s: %w", b.Name, err)
	}
	if sum, err = files.ReadFile(b.Module + ".sum"); err != nil {
		return nil, nil, fmt.Errorf("read the checksums of %s: %w", b.Name, err)
	}
	return mod, sum, nil
}

// flags are the same for all programs of a module, since the Go build cache is keyed by them.
func (b Binary) flags() []string {
	ldflags := "-s -w"
	for _, v := range b.Values {
		ldflags += " -X " + v
	}
	flags := []string{"-mod=readonly", "-buildvcs=false", "-trimpath", "-tags=" + b.Tags, "-ldflags=" + ldflags}
	if b.Checkout != "" {
		return flags[1:] // use its vendor directory, if any
	}
	return flags
}
