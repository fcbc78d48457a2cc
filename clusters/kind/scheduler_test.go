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
