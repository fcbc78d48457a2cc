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

package kind

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/dra-conformance/dratest/clusters"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the golden files")

func TestRender(t *testing.T) {
	workers := func(n int) *int { return &n }
	for _, tc := range []struct {
		name    string
		config  clusters.Config
		machine machine
	}{
		{"plain", clusters.Config{Name: "plain", Workers: workers(2)}, machine{}},
		{"one-node-cgroup-v1", clusters.Config{Name: "one", Workers: workers(0)}, machine{CgroupV1: true}},
		{"restricted", clusters.Config{Name: "small", Workers: workers(1)}, machine{CgroupV1: true, NoSysResource: true}},
		{"everything", clusters.Config{
			Name:          "all",
			Workers:       workers(1),
			FeatureGates:  map[string]bool{"DRADeviceTaintRules": true, "DRAAdminAccess": false},
			RuntimeConfig: map[string]string{"resource.k8s.io/v1alpha3": "true"},
			ComponentArgs: map[string]map[string]string{
				"apiserver": {"v": "3"},
				"etcd":      {"unsafe-no-fsync": "false"},
				"kubelet":   {"--v": "6"},
				"scheduler": {"kube-api-qps": "500"},
			},
			Kubelet: map[string]any{"apiVersion": "kubelet.config.k8s.io/v1", "failCgroupV1": true, "maxPods": 40},
		}, machine{CgroupV1: true}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			rendered, err := render(tc.config, "registry.example/node:v1.37.1", tc.machine)
			if err != nil {
				t.Fatal(err)
			}
			got, err := yaml.Marshal(rendered)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, tc.name+".yaml", string(got))
		})
	}
}

func TestRenderKeepsTheDeclaration(t *testing.T) {
	kubelet := map[string]any{"apiVersion": "kubelet.config.k8s.io/v1beta1", "maxPods": 40}
	if _, err := render(clusters.Config{Name: "x", Kubelet: kubelet}, "image", machine{}); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"apiVersion": "kubelet.config.k8s.io/v1beta1", "maxPods": 40}
	if diff := cmp.Diff(want, kubelet); diff != "" {
		t.Error(diff)
	}
}

func TestNodeSetup(t *testing.T) {
	peers := []peer{
		{Name: "x-control-plane", PodCIDR: "10.244.0.0/24"},
		{Name: "x-worker", PodCIDR: "10.244.1.0/24"},
		{Name: "x-worker2", PodCIDR: "10.244.2.0/24"},
	}
	golden(t, "node-setup.sh", script(peers[1], peers)+"\n")
	list, err := conflist(peers[1].PodCIDR)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "node.conflist", list)
}

func TestDescribe(t *testing.T) {
	for want, c := range map[string]clusters.Config{
		"one node":                               {},
		"control plane and one worker":           {Workers: new(1)},
		"control plane and 3 workers, gates A B": {Workers: new(3), FeatureGates: map[string]bool{"B": true, "A": false}},
	} {
		if got := describe(c); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *rewrite {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (go test -rewrite writes it anew):\n%s", path, diff)
	}
}
