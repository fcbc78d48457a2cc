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

package evidence

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/drivers/nodefiles"
)

func TestTail(t *testing.T) {
	tests := []struct {
		name  string
		lines int
		want  string
	}{
		{"nothing", 0, ""},
		{"all", 2, "line 0\nline 1\n"},
		{"cut", 5, "line 3\nline 4\n"},
		{"cut often", 1000, "line 998\nline 999\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			out := &tail{limit: 20}
			for i := range test.lines {
				_, _ = fmt.Fprintf(out, "line %d\n", i)
			}
			if got := string(out.Bytes()); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// TestCollect reads a node without a journal and DRA health state.
func TestCollect(t *testing.T) {
	root, err := os.MkdirTemp("", "node")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(root) })
	kubelet, cdi, static := filepath.Join(root, "kubelet"), filepath.Join(root, "cdi"), filepath.Join(root, "static")
	for _, dir := range []string{cdi, static, filepath.Join(kubelet, "plugins", "d"), filepath.Join(kubelet, "plugins_registry")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for path, content := range map[string]string{filepath.Join(kubelet, "dra_manager_state"): "state", filepath.Join(cdi, "a.json"): "{}", filepath.Join(static, "a.json"): "[]"} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, socket := range []string{"plugins/d/dra.sock", "plugins_registry/d-reg.sock"} {
		listener, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", filepath.Join(kubelet, socket))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = listener.Close() })
	}
	files, missing := Collect(t.Context(), Node{Root: root, KubeletRoot: "/kubelet", CDI: nodefiles.CDIDirs{{Path: nodefiles.CDIStatic, Seen: static}, {Path: nodefiles.CDIDynamic, Seen: cdi}}}, time.Time{})
	want := map[string][]byte{
		"dra_manager_state":      []byte("state"),
		"cdi/etc/cdi/a.json":     []byte("[]"),
		"cdi/var/run/cdi/a.json": []byte("{}"),
		"sockets":                []byte("plugins_registry/d-reg.sock\nplugins/d/dra.sock\n"),
		"plugins":                []byte("plugins/d\n"),
		"cdi-files":              []byte("/etc/cdi/a.json\n/var/run/cdi/a.json"),
	}
	if diff := cmp.Diff(want, files); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if text := strings.Join(missing, "\n"); len(missing) != 2 || !strings.Contains(text, "kubelet.log: the node has no journalctl") || !strings.Contains(text, "containerd.log") {
		t.Errorf("missing: %s", text)
	}
}

// TestCollectCheckpoint distinguishes a kubelet without prepared claims from a directory without a kubelet.
func TestCollectCheckpoint(t *testing.T) {
	for name, tc := range map[string]struct {
		dir  string
		read bool
	}{
		"a kubelet's root": {"kubelet/pods", true}, "another's": {"kubelet/plugins", false}, "none": {"elsewhere", false},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			if err := os.MkdirAll(filepath.Join(root, tc.dir), 0o700); err != nil {
				t.Fatal(err)
			}
			files, missing := Collect(t.Context(), Node{Root: root, KubeletRoot: "/kubelet", CDI: nodefiles.CDIDirs{{Path: nodefiles.CDIDynamic, Seen: root}}}, time.Time{})
			if _, read := files["dra_manager_state"]; read != tc.read || strings.Contains(strings.Join(missing, "\n"), "dra_manager_state") == read {
				t.Errorf("files %v, missing %v", files, missing)
			}
		})
	}
}

func TestLines(t *testing.T) {
	out := &lines{with: []byte("ns-1/"), to: &tail{limit: 100}}
	for _, part := range []string{"about ns-1/a\nabout ns", "-2/b\nabout ns-", "1/c\n", "about ns-1/d"} {
		_, _ = out.Write([]byte(part))
	}
	if got, want := string(out.Bytes()), "about ns-1/a\nabout ns-1/c\nabout ns-1/d"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
