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
	"testing"
)

func TestReadInotify(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can make files of root's")
	}
	proc := t.TempDir()
	write := func(path, text string) {
		t.Helper()
		full := filepath.Join(proc, path)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	link := func(path, to string) {
		t.Helper()
		full := filepath.Join(proc, path)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, full); err != nil {
			t.Fatal(err)
		}
	}
	write("sys/fs/inotify/max_user_instances", "128\n")
	link("1/fd/3", "anon_inode:inotify")
	link("1/fd/4", "anon_inode:[eventpoll]")
	link("20/fd/5", "anon_inode:inotify")
	link("20/fd/6", "anon_inode:inotify")
	link("30/fd/0", "/dev/null")
	link("self/fd/3", "anon_inode:inotify")
	link("40/fd/3", "anon_inode:inotify")
	if err := os.Chown(filepath.Join(proc, "40"), 1000, 1000); err != nil {
		t.Fatal(err)
	}
	got, err := readInotify(proc)
	if want := (inotifyUsage{Limit: 128, Used: 3}); err != nil || got != want {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
}

func TestReadInotifyWithoutLimit(t *testing.T) {
	got, err := readInotify(t.TempDir())
	if err != nil || got != (inotifyUsage{}) {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestEnoughInotify(t *testing.T) {
	for _, tc := range []struct {
		name  string
		usage inotifyUsage
		n     int
		want  bool
	}{
		{"free", inotifyUsage{Limit: 128, Used: 60}, 68, true},
		{"one too many", inotifyUsage{Limit: 128, Used: 61}, 68, false},
		{"no limit", inotifyUsage{}, 1000, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := tc.usage.enough(tc.n); got != tc.want {
				t.Errorf("got %t", got)
			}
		})
	}
}
