package inotify_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/dra-conformance/dratest/clusters/host/inotify"
)

func TestRead(t *testing.T) {
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
	got, err := inotify.Read(proc)
	if want := (inotify.Usage{Limit: 128, Used: 3}); err != nil || got != want {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
}

func TestReadWithoutLimit(t *testing.T) {
	got, err := inotify.Read(t.TempDir())
	if err != nil || got != (inotify.Usage{}) {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestEnough(t *testing.T) {
	for _, tc := range []struct {
		name  string
		usage inotify.Usage
		n     int
		want  bool
	}{
		{"free", inotify.Usage{Limit: 128, Used: 60}, 68, true},
		{"one too many", inotify.Usage{Limit: 128, Used: 61}, 68, false},
		{"no limit", inotify.Usage{}, 1000, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := tc.usage.Enough(tc.n); got != tc.want {
				t.Errorf("got %t", got)
			}
		})
	}
}
