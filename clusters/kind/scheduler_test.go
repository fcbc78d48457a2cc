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
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"
	"sigs.k8s.io/yaml"

	"github.com/dra-conformance/dratest/clusters"
)

func TestTuneScheduler(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	out := &v1alpha4.Cluster{Nodes: []v1alpha4.Node{{Role: v1alpha4.ControlPlaneRole}, {Role: v1alpha4.WorkerRole}}}
	if err := (parts{store: store{dir: dir}}).tuneScheduler(clusters.Config{Name: "x", Version: "v1.37.1"}, out); err != nil {
		t.Fatal(err)
	}
	rendered, err := yaml.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "scheduler-cluster.yaml", strings.ReplaceAll(string(rendered), dir, "/state"))
	written, err := os.ReadFile(filepath.Join(dir, "x", "scheduler.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "scheduler.yaml", string(written))
}
