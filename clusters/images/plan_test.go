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
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/clusters/images/layer"
	"github.com/dra-conformance/dratest/clusters/images/modules"
	"github.com/dra-conformance/dratest/clusters/versions"
)

// at is a program function for all programs; changed names one with a different key.
func at(changed string) program {
	return func(b modules.Binary) (string, string, error) {
		if b.Name == changed {
			return "/cache/" + b.Name, "changed", nil
		}
		return "/cache/" + b.Name, "key of " + b.Name, nil
	}
}

func planned(t *testing.T, version string, restricted bool, changed, sim string) plan {
	t.Helper()
	v, err := versions.Lookup(version)
	if err != nil {
		t.Fatal(err)
	}
	p, err := newPlan(v, restricted, origins{}, at(changed), simEntry("/x", sim))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestOneChangedInputChangesOnlyItsStages(t *testing.T) {
	want := planned(t, "v1.37.1", false, "", "sim").keys
	if planned(t, "v1.37.1", false, "", "sim").keys != want {
		t.Fatal("the same inputs give other keys")
	}
	for _, tc := range []struct {
		name                   string
		got                    keys
		base, components, node bool // whether the stage is made again
	}{
		{"kubelet", planned(t, "v1.37.1", false, "kubelet", "sim").keys, true, true, true},
		{"containerd", planned(t, "v1.37.1", false, "containerd", "sim").keys, true, true, true},
		{"restricted", planned(t, "v1.37.1", true, "", "sim").keys, true, true, true},
		{"version", planned(t, "v1.36.4", false, "", "sim").keys, true, true, true},
		{"kube-scheduler", planned(t, "v1.37.1", false, "kube-scheduler", "sim").keys, false, true, true},
		{"etcd", planned(t, "v1.37.1", false, "etcd", "sim").keys, false, true, true},
		{"pause", planned(t, "v1.37.1", false, "pause", "sim").keys, false, true, true},
		{"dra-sim", planned(t, "v1.37.1", false, "", "other").keys, false, false, true},
	} {
		if (tc.got.base != want.base) != tc.base || (tc.got.components != want.components) != tc.components || (tc.got.node != want.node) != tc.node {
			t.Errorf("changed %s: base made again: %t, components: %t, node: %t; want %t, %t, %t", tc.name,
				tc.got.base != want.base, tc.got.components != want.components, tc.got.node != want.node, tc.base, tc.components, tc.node)
		}
	}
}

// A changed program changes its own layer of the base stage only.
func TestKubeletIsNotInTheRuntimeLayer(t *testing.T) {
	one, other := planned(t, "v1.37.1", false, "", "sim"), planned(t, "v1.37.1", false, "kubelet", "sim")
	if layer.Key(one.runtime) != layer.Key(other.runtime) || layer.Key(one.kubernetes) == layer.Key(other.kubernetes) {
		t.Error("a changed kubelet changes the wrong layer")
	}
}

// Published node images use a pulled pod image, so they need neither root nor debootstrap. Another pod image makes
// another node image.
func TestPublishedSuite(t *testing.T) {
	one, other := publishedSuite(simEntry("/x", "sim"), "sha256:1"), publishedSuite(simEntry("/x", "sim"), "sha256:2")
	if componentKeys(one) == componentKeys(other) {
		t.Error("another busybox does not change the key")
	}
	if len(one) != len(suiteImages(simEntry("/x", "sim"))) || slices.ContainsFunc(one, component.fromRootfs) {
		t.Errorf("got %+v", one)
	}
}

func TestImagesThatKubeadmWants(t *testing.T) {
	for _, v := range versions.All() {
		p := planned(t, v.Kubernetes, false, "", "sim")
		got := map[string]component{}
		for _, c := range append(p.components, p.suite...) {
			got[c.ref] = c
		}
		for _, ref := range []string{
			"registry.k8s.io/kube-apiserver:" + v.Kubernetes, "registry.k8s.io/kube-controller-manager:" + v.Kubernetes,
			"registry.k8s.io/kube-scheduler:" + v.Kubernetes, "registry.k8s.io/kube-proxy:" + v.Kubernetes,
			"registry.k8s.io/etcd:" + v.Etcd, "registry.k8s.io/pause:" + v.Pause, Busybox, Sim,
		} {
			if c, ok := got[ref]; !ok || len(c.files) == 0 {
				t.Errorf("%s: no image %s", v.Kubernetes, ref)
			}
		}
	}
}

// The pinned version of kind's files must match the package creating clusters from them.
func TestKindFilesAreOfTheVersionInGoMod(t *testing.T) {
	sum, err := os.ReadFile("../../go.sum")
	if err != nil {
		t.Fatal(err)
	}
	if want := kindModule + " " + kindVersion + " " + kindSum + "\n"; !strings.Contains(string(sum), want) {
		t.Errorf("go.sum has no line %q: set kindVersion and kindSum to its values", want)
	}
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if want := kindModule + " " + kindVersion + "\n"; !strings.Contains(string(mod), want) {
		t.Errorf("go.mod does not require %q: set kindVersion and kindSum to its values", want)
	}
}
