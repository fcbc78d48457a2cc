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

func TestTunable(t *testing.T) {
	gates := func(name string, on bool) clusters.Config {
		return clusters.Config{FeatureGates: map[string]bool{name: on}}
	}
	for name, tc := range map[string]struct {
		config clusters.Config
		want   bool
	}{
		"newest":                  {clusters.Config{}, true},
		"v1.36":                   {clusters.Config{Version: "v1.36.4"}, true},
		"too old":                 {clusters.Config{Version: "v1.35.8"}, false},
		"image of some version":   {clusters.Config{Image: "node:x"}, false},
		"image of a version":      {clusters.Config{Image: "node:x", Version: "1.37"}, true},
		"feature on":              {gates("DRADeviceBindingConditions", true), true},
		"feature off":             {gates("DRADeviceBindingConditions", false), false},
		"all beta features off":   {gates("AllBeta", false), false},
		"own configuration":       {clusters.Config{ComponentArgs: map[string]map[string]string{"scheduler": {"--config": "/x"}}}, false},
		"argument that is lost":   {clusters.Config{ComponentArgs: map[string]map[string]string{"scheduler": {"kube-api-qps": "9"}}}, false},
		"argument that is minded": {clusters.Config{ComponentArgs: map[string]map[string]string{"scheduler": {"v": "9"}}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tunable(tc.config); got != tc.want {
				t.Errorf("got %t", got)
			}
		})
	}
}
