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
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/clusters/versions"
)

func TestEveryVersionHasItsModule(t *testing.T) {
	for _, v := range versions.All() {
		mod, sum, err := Kubernetes(v, "kubelet").moduleFiles()
		if err != nil {
			t.Error(err)
			continue
		}
		if len(sum) == 0 || !strings.Contains(string(mod), "k8s.io/kubernetes "+v.Kubernetes) {
			t.Errorf("the module of %s does not require it, or has no checksums", v.Kubernetes)
		}
		staging := "v0." + strings.TrimPrefix(v.Kubernetes, "v1.")
		replaced := 0
		for line := range strings.Lines(string(mod)) {
			if _, to, ok := strings.Cut(line, " => "); ok {
				replaced++
				if fields := strings.Fields(to); fields[1] != staging {
					t.Errorf("%s: %s is replaced by %s, want %s", v.Kubernetes, fields[0], fields[1], staging)
				}
			}
		}
		if replaced < 25 {
			t.Errorf("%s: only %d staging modules are replaced", v.Kubernetes, replaced)
		}
	}
}

func TestOtherModulesAreThere(t *testing.T) {
	for _, b := range append(Runtime(), Etcd(), Kwok()) {
		mod, sum, err := b.moduleFiles()
		if err != nil || len(mod) == 0 || len(sum) == 0 {
			t.Errorf("%s: %v", b.Name, err)
		}
	}
	if got := required("runtime", "github.com/containerd/containerd/v2"); !strings.HasPrefix(got, "v2.") {
		t.Errorf("containerd's version is %q", got)
	}
}

func TestKey(t *testing.T) {
	base := Kubernetes(versions.Newest(), "kubelet")
	key := func(b Binary, goVersion string) string {
		k, err := b.Key(goVersion)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	want := key(base, "go1.26.0")
	same := base
	same.Usually++
	if key(same, "go1.26.0") != want {
		t.Error("how long a build takes changes its key")
	}
	for name, change := range map[string]func(*Binary) string{
		"name":       func(b *Binary) string { b.Name = "x"; return "go1.26.0" },
		"package":    func(b *Binary) string { b.Package += "x"; return "go1.26.0" },
		"module":     func(b *Binary) string { b.Module = "etcd"; return "go1.26.0" },
		"tags":       func(b *Binary) string { b.Tags = "x"; return "go1.26.0" },
		"values":     func(b *Binary) string { b.Values = nil; return "go1.26.0" },
		"own module": func(b *Binary) string { b.Mod, b.Sum = []byte("module x\n"), nil; return "go1.26.0" },
		"checkout":   func(b *Binary) string { b.Checkout, b.CheckoutKey = "/x", "1"; return "go1.26.0" },
		"go version": func(*Binary) string { return "go1.26.1" },
	} {
		changed := base
		if version := change(&changed); key(changed, version) == want {
			t.Errorf("a changed %s does not change the key", name)
		}
	}
	here, there := Binary{Name: "kubelet", Checkout: "/here", CheckoutKey: "1"}, Binary{Name: "kubelet", Checkout: "/there", CheckoutKey: "1"}
	changed := here
	changed.CheckoutKey = "2"
	if key(here, "go1.26.0") != key(there, "go1.26.0") || key(here, "go1.26.0") == key(changed, "go1.26.0") {
		t.Error("the key of a checkout is not that of its content")
	}
	one, other := Binary{Name: "pause", Source: []byte("a")}, Binary{Name: "pause", Source: []byte("b")}
	if key(one, "go1.26.0") == key(other, "go1.26.0") {
		t.Error("a changed source does not change the key")
	}
}

// With GOTOOLCHAIN=auto the go command switches to the Go version required by a module: its key names that version, and
// other programs keep theirs.
func TestKeyNamesTheToolchain(t *testing.T) {
	checkout := t.TempDir()
	for name, content := range map[string]string{"go.mod": "module x\n\ngo 1.27.0\n", "go.work": "go 1.27.0\n\ntoolchain go1.27.3\n"} {
		if err := os.WriteFile(filepath.Join(checkout, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, tc := range map[string]struct {
		binary Binary
		local  string
		want   string
	}{
		"older module":         {Binary{Mod: []byte("module x\n\ngo 1.26.0\n")}, "go1.26.8", "go1.26.8"},
		"newer module":         {Binary{Mod: []byte("module x\n\ngo 1.27.0\n")}, "go1.26.8", "go1.27.0"},
		"newer toolchain":      {Binary{Mod: []byte("module x\n\ngo 1.26.0\n\ntoolchain go1.27.1\n")}, "go1.26.8", "go1.27.1"},
		"a module named go":    {Binary{Mod: []byte("module x\n\ngo 1.26.0\n\nrequire (\n\tgo 1.99.0\n)\n")}, "go1.26.8", "go1.26.8"},
		"checkout":             {Binary{Checkout: checkout}, "go1.26.8", "go1.27.3"},
		"checkout, newer":      {Binary{Checkout: checkout}, "go1.28.0", "go1.28.0"},
		"a checkout that left": {Binary{Checkout: "/does/not/exist"}, "go1.26.8", "go1.26.8"},
		"an unreleased Go":     {Binary{Mod: []byte("module x\n\ngo 1.27.0\n")}, "devel go1.28-abc", "devel go1.28-abc"},
	} {
		if got := tc.binary.toolchain(tc.local, tc.binary.Mod); got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
}

// The Go build cache is keyed by flags: different flags would compile the shared packages of a module twice.
func TestProgramsOfAModuleShareTheirFlags(t *testing.T) {
	v := versions.Newest()
	want := strings.Join(Kubernetes(v, "kube-apiserver").flags(), " ")
	for _, name := range []string{"kubelet", "kubeadm", "kubectl", "kube-proxy"} {
		if got := strings.Join(Kubernetes(v, name).flags(), " "); got != want {
			t.Errorf("%s: flags %s, want %s", name, got, want)
		}
	}
	for _, part := range []string{"-trimpath", "-s -w", "component-base/version.gitVersion=" + v.Kubernetes, "gitTreeState=clean", "client-go/pkg/version.gitMinor="} {
		if !strings.Contains(want, part) {
			t.Errorf("flags %s lack %s", want, part)
		}
	}
}
