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
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dra-conformance/dratest/clusters"
)

func TestIsDebian(t *testing.T) {
	tests := map[string]bool{
		"PRETTY_NAME=\"Debian GNU/Linux 12\"\nID=debian\n": true,
		"NAME=\"Ubuntu\"\nID=ubuntu\nID_LIKE=debian\n":     true,
		"ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n":        true,
		"ID=fedora\n": false,
		"ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n":       false,
		"ID=arch\nHOME_URL=https://debian.example\nX=debian\n": false,
		"": false,
	}
	for release, want := range tests {
		if got := isDebian(release); got != want {
			t.Errorf("%q: got %v", release, got)
		}
	}
}

func TestParseAvailable(t *testing.T) {
	tests := map[string]uint64{
		"MemTotal:       100 kB\nMemAvailable:   23068672 kB\n": 22 * gib,
		"MemTotal: 1 kB\n":          0,
		"MemAvailable:   many kB\n": 0,
	}
	for text, want := range tests {
		if got := parseAvailable(text); got != want {
			t.Errorf("%q: got %d, want %d", text, got, want)
		}
	}
}

func TestCgroupVersion(t *testing.T) {
	for entry, want := range map[string]int{"cgroup.controllers": 2, "memory/": 1, "cpu/": 1, "other": 0} {
		dir := t.TempDir()
		if name, isFolder := strings.CutSuffix(entry, "/"); isFolder {
			mkdir(t, filepath.Join(dir, name))
		} else {
			write(t, filepath.Join(dir, entry), "")
		}
		if got := cgroupVersion(dir); got != want {
			t.Errorf("%s: got %d, want %d", entry, got, want)
		}
	}
}

func TestRuntimeFlags(t *testing.T) {
	flags := []string{"--add-runtime", "dratest=" + wrapperPath, "--default-runtime", "dratest"}
	tests := []struct {
		name, config string
		want         []string
		refused      bool
	}{
		{"no file", "", flags, false},
		{"empty file", " \n", flags, false},
		{"other settings", `{"data-root": "/data", "default-ulimits": {"nofile": {"Hard": 1}}}`, flags, false},
		{"ours", string(runtimeConfig()), nil, false},
		{"another default", `{"default-runtime": "nvidia", "runtimes": {"nvidia": {"path": "nvidia-container-runtime"}}}`, nil, true},
		{"other runtimes", `{"runtimes": {"crun": {"path": "crun"}}}`, nil, true},
		{"malformed", `{"data-root": }`, nil, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := runtimeFlags([]byte(test.config))
			if errors.Is(err, clusters.ErrEnvironment) != test.refused || (err != nil) != test.refused || !slices.Equal(got, test.want) {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

func TestPackages(t *testing.T) {
	debootstrap := []string{"debootstrap", "debian-archive-keyring", "gpgv"}
	tests := []struct {
		name   string
		change func(*facts)
		want   []string
	}{
		{"everything is there", func(*facts) {}, nil},
		{"bare", bare, append([]string{"docker.io", "docker-cli"}, debootstrap...)},
		{"only a client", func(f *facts) { noEngine(f); f.Daemon = "" }, []string{"docker.io"}},
		{"stopped", noEngine, nil},
		{"no client", func(f *facts) { noEngine(f); f.Client = client{} }, []string{"docker-cli"}},
		{"an engine elsewhere does not answer", func(f *facts) { bare(f); f.Client.Elsewhere = "tcp://x" }, debootstrap},
		{"docker is Podman", func(f *facts) { bare(f); f.Client = client{Version: "podman version 4", Podman: true} }, debootstrap},
		{"no root", func(f *facts) { bare(f); f.Root = false }, nil},
		{"Fedora", func(f *facts) { bare(f); f.Debian = false }, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := packages(machine(test.change)); !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestMarker(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	if m, err := readMarker(dir); err != nil || len(m.Packages) > 0 {
		t.Fatalf("no marker: %+v, %v", m, err)
	}
	when := time.Date(2026, 11, 21, 5, 0, 0, 0, time.UTC)
	for _, change := range []func(*marker){
		func(m *marker) { m.Packages, m.Installed = []string{"docker.io"}, when },
		func(m *marker) { m.Command, m.Started = []string{"dockerd"}, when },
	} {
		if err := updateMarker(dir, change); err != nil {
			t.Fatal(err)
		}
	}
	m, err := readMarker(dir)
	if err != nil || !slices.Equal(m.Packages, []string{"docker.io"}) || !slices.Equal(m.Command, []string{"dockerd"}) || !m.Started.Equal(when) {
		t.Errorf("got %+v, %v", m, err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("files beside the marker: %v, %v", entries, err)
	}
	write(t, filepath.Join(dir, "engine.json"), "{")
	if _, err := readMarker(dir); err == nil {
		t.Error("no error for a broken marker")
	}
}
