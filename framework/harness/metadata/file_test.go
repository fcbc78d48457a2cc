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

package metadata

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestScriptsForContainers runs them in this machine's shell.
func TestScriptsForContainers(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	run := func(script string, args ...string) string {
		out, err := exec.CommandContext(t.Context(), "sh", append([]string{"-c", script, "sh"}, args...)...).Output()
		if err != nil {
			t.Errorf("%v: %v", args, err)
		}
		return string(out)
	}
	for name, want := range map[string]string{
		"a\nb\n": "there\na\nb\n", "no end": "there\nno end\n", "": "there\n", ` \n  %s "q" `: "there\n \\n  %s \"q\" \n",
	} {
		if got := run(readFile, write("file", name, 0o600)); got != want {
			t.Errorf("%q is read as %q, want %q", name, got, want)
		}
	}
	if got := run(readFile, filepath.Join(dir, "none")); got != "" {
		t.Errorf("a file that is not there is read as %q", got)
	}
	for mounts, want := range map[string]string{
		"1 0 0:1 / / rw - ext4 x rw\n": "writable\n",
		"1 0 0:1 / / rw - ext4 x rw\n2 1 0:1 /b /var/dra/file ro,relatime shared:1 - ext4 x rw\n":     "",
		"1 0 0:1 / / ro - ext4 x rw\n2 1 0:1 /b /var/dra rw,relatime - ext4 x rw\n":                   "writable\n",
		"1 0 0:1 / / rw - ext4 x rw\n2 1 0:1 /b /var/dra ro - x x rw\n3 1 0:1 / /var/d ro - x x rw\n": "",
	} {
		if got := run(canWrite, "/var/dra/file", write("mountinfo", mounts, 0o600)); got != want {
			t.Errorf("with the mounts\n%sgot %q, want %q", mounts, got, want)
		}
	}
}
