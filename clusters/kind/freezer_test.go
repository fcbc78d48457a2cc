package kind

import (
	"os"
	"path/filepath"
	"testing"
)

// A container whose runc had frozen a process could not be removed any more.
func TestThaw(t *testing.T) {
	root := t.TempDir()
	states := map[string]string{
		"docker/aaa/kubelet.slice/pod/freezer.state": "FROZEN\n",
		"docker/aaa/freezer.state":                   "THAWED\n",
		"docker/bbb/freezer.state":                   "FROZEN\n",
	}
	for name, state := range states {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(state), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := thaw(root, []string{"aaa"}); err != nil {
		t.Fatal(err)
	}
	states["docker/aaa/kubelet.slice/pod/freezer.state"] = "THAWED"
	for name, want := range states {
		if got, err := os.ReadFile(filepath.Join(root, name)); err != nil || string(got) != want {
			t.Errorf("%s is %q, %v, want %q", name, got, err, want)
		}
	}
	if err := thaw(filepath.Join(root, "nowhere"), []string{"aaa"}); err != nil {
		t.Errorf("without a freezer: %v", err)
	}
}
