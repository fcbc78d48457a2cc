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

package host

import (
	"os"
	"path/filepath"
	"testing"
)

func TestMemoryOfAPod(t *testing.T) {
	const uid = "01234567-89ab-cdef-0123-456789abcdef"
	for name, tc := range map[string]struct {
		path, content string
		want          int64
		fails         bool
	}{
		"version 2, systemd":  {"sys/fs/cgroup/kubepods.slice/kubepods-pod01234567_89ab_cdef_0123_456789abcdef.slice/memory.max", "4096\n", 4096, false},
		"version 2, cgroupfs": {"sys/fs/cgroup/kubepods/burstable/pod" + uid + "/memory.max", "4096\n", 4096, false},
		"version 1":           {"sys/fs/cgroup/memory/kubelet/kubepods/pod" + uid + "/memory.limit_in_bytes", "4096\n", 4096, false},
		"no limit":            {"sys/fs/cgroup/kubepods/pod" + uid + "/memory.max", "max\n", 0, true},
		"another pod":         {"sys/fs/cgroup/kubepods/pod" + uid + "0/memory.max", "4096\n", 0, true},
	} {
		root := t.TempDir()
		path := filepath.Join(root, tc.path)
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(tc.content), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := PodMemory(root, uid); got != tc.want || (err != nil) != tc.fails {
			t.Errorf("%s: got %d, %v", name, got, err)
		}
	}
}
