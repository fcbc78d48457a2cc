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
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/images/layer"
	"github.com/dra-conformance/dratest/clusters/images/own"
	"github.com/dra-conformance/dratest/clusters/versions"
)

func TestOwnImage(t *testing.T) {
	entries := []layer.Entry{{Path: "usr/local/bin/dra-scheduler", Data: []byte("program")}, {Path: schedulerConfig, Data: []byte("config")}}
	p := ownProgram{name: "dra-scheduler", version: versions.Newest()}
	made, err := p.image(entries)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(made.Ref, "dra-conformance.github.io/dra-scheduler:v") || made.Kubernetes != versions.Newest().Kubernetes {
		t.Errorf("made %+v", made)
	}
	path := filepath.Join(t.TempDir(), "image.tar")
	var archive bytes.Buffer
	if err := made.Archive(&archive); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, archive.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	tag, err := name.NewTag(made.Ref)
	if err != nil {
		t.Fatal(err)
	}
	image, err := tarball.ImageFromPath(path, &tag)
	if err != nil {
		t.Fatal(err)
	}
	var content bytes.Buffer
	if _, err := content.ReadFrom(mutate.Extract(image)); err != nil || !bytes.Contains(content.Bytes(), []byte("program")) {
		t.Errorf("the program is not in it: %v", err)
	}
	entries[1].Data = []byte("other config")
	if other, err := p.image(entries); err != nil || other.Ref == made.Ref {
		t.Errorf("another configuration has the same name: %v", err)
	}
}

func TestComponentOfAnotherVersionIsRefusedBeforeItIsBuilt(t *testing.T) {
	root := t.TempDir()
	for path, content := range map[string]string{
		"go.mod":                "module github.com/dra-conformance/dratest\n",
		"implementation/go.mod": "module x\n\nrequire k8s.io/component-base v0.37.1\n",
	} {
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	local := Local{Where: own.Where{Dirs: []string{root}, BinDir: root}}
	for _, component := range []string{"scheduler", "controllers", "kubelet"} {
		var s clusters.Stack
		if err := s.Set(component, "own"); err != nil {
			t.Fatal(err)
		}
		err := local.CanBuild(s, "v1.36.4")
		if !errors.Is(err, clusters.ErrUnknownVersion) || !strings.Contains(err.Error(), "it is built for Kubernetes v1.37.1, the cluster has v1.36.4") {
			t.Errorf("%s: %v", component, err)
		}
	}
	if _, err := local.Kubelet(t.Context(), "v1.36.4"); !errors.Is(err, clusters.ErrUnknownVersion) {
		t.Errorf("got %v", err)
	}
	if err := local.CanBuild(clusters.AllStock(), "v1.36.4"); err != nil {
		t.Errorf("stock: %v", err)
	}
}

func TestForCluster(t *testing.T) {
	for _, tc := range []struct{ in, out string }{
		{"a: b\n", "a: b\nclientConnection:\n  kubeconfig: /k\n"},
		{"clientConnection: {qps: 7, kubeconfig: x}\n", "clientConnection:\n  kubeconfig: /k\n  qps: 7\n"},
		{
			"profiles: [{pluginConfig: [{name: DRA, args: {filterTimeout: 1s}}, {name: Other}]}]\n",
			"clientConnection:\n  kubeconfig: /k\nprofiles:\n- pluginConfig:\n  - args:\n      bindingTimeout: 20s\n      filterTimeout: 1s\n    name: DRA\n  - name: Other\n- schedulerName: dratest-defaults\n",
		},
	} {
		got, err := forCluster([]byte(tc.in), "/k")
		if err != nil || string(got) != tc.out {
			t.Errorf("%q: %q, %v", tc.in, got, err)
		}
	}
	if _, err := forCluster([]byte("a: b\na: c\n"), "/k"); err == nil {
		t.Error("a field that is given twice is accepted")
	}
}

func TestDeploymentOnTheControlPlane(t *testing.T) {
	const account = "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: a}\n"
	const deploy = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d, labels: &l {a: b}}\nspec: {selector: {matchLabels: *l}, template: {spec: {containers: [{name: c, image: placeholder}]}}}\n"
	got, err := deployment([]byte("# About it.\n"+account+"---\n"+deploy), "own:1", []string{"--v=4"})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{account, "image: own:1", "- --v=4", "imagePullPolicy: Never", "node-role.kubernetes.io/control-plane: \"\"", "a: b"} {
		if !strings.Contains(string(got), want) {
			t.Errorf("does not say %q:\n%s", want, got)
		}
	}
	for name, manifest := range map[string]string{"none": account, "two": deploy + "---\n" + deploy, "nonsense": "a: [\n"} {
		if _, err := deployment([]byte(manifest), "own:1", nil); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}
