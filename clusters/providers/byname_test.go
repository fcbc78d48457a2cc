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

package providers

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Commands find the provider of a cluster by its name.
// Without HOME, "cluster list" printed the same advice twice.
func TestErrorOfBothProvidersIsReportedOnce(t *testing.T) {
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "DRATEST_STATE"} {
		t.Setenv(name, "")
	}
	if _, err := NewClusters(&progress.Printer{}).List(t.Context()); err == nil || strings.Count(err.Error(), "DRATEST_STATE") != 1 {
		t.Errorf("got error %v", err)
	}
}

func TestClusterIsFoundByItsName(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("DRATEST_STATE", dir)
	folder := filepath.Join(dir, ".controlplane", "x")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "cluster.json"), []byte(`{"name": "x", "ready": true}`), 0o600); err != nil {
		t.Fatal(err)
	}
	c := NewClusters(&progress.Printer{})

	if path, err := c.Kubeconfig("x"); err != nil || path != filepath.Join(folder, "kubeconfig") {
		t.Errorf("kubeconfig %s, %v", path, err)
	}
	found, err := c.List(t.Context())
	if err != nil || len(found) != 1 || found[0].Provider != clusters.ProviderControlPlane || found[0].Status != clusters.Stopped {
		t.Errorf("list: %+v, %v", found, err)
	}
	if _, err := c.Create(t.Context(), clusters.Config{Name: "x"}); !errors.Is(err, clusters.ErrExists) {
		t.Errorf("a kind cluster of the name: %v", err)
	}
	if err := c.Check(t.Context(), clusters.Config{Name: "x"}); !errors.Is(err, clusters.ErrExists) {
		t.Errorf("check a kind cluster of the name: %v", err)
	}
	if err := c.Check(t.Context(), clusters.Config{Name: "y", Version: "1.2"}); !errors.Is(err, clusters.ErrUnknownVersion) {
		t.Errorf("check an unknown version: %v", err)
	}
	for name, provider := range map[string]string{"x": clusters.ProviderControlPlane, "y": clusters.ProviderKind} {
		if err := c.Check(t.Context(), clusters.Config{Name: name, Provider: provider}); err != nil {
			t.Errorf("check %s, which no running cluster has: %v", name, err)
		}
	}
	if _, err := c.Switch(t.Context(), "x", clusters.Stack{Scheduler: spec.Own}); !errors.Is(err, clusters.ErrEnvironment) {
		t.Errorf("switch: %v", err)
	}
	if err := c.Delete(t.Context(), "x"); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(folder); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the directory is left: %v", err)
	}
	if _, err := c.Kubeconfig("x"); err == nil {
		t.Error("a cluster that is gone has a kubeconfig")
	}
}
