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
	run := func(script, path string) string {
		out, err := exec.CommandContext(t.Context(), "sh", "-c", script, "sh", path).Output()
		if err != nil {
			t.Errorf("%s: %v", path, err)
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
	if got := run(canWrite, write("file", "x", 0o600)); got != "written\n" {
		t.Errorf("a file that can be written: %q", got)
	}
	if got := run(canWrite, "/proc/version"); got != "" {
		t.Errorf("a file that nobody can write: %q", got)
	}
}
