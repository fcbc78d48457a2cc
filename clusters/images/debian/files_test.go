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

package debian_test

import (
	"archive/tar"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/clusters/images/debian"
)

// rootfs writes a small root file system like the one of debootstrap and tar.
func rootfs(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rootfs.tar")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := tar.NewWriter(file)
	add := func(name string, mode int64, link, content string) {
		h := &tar.Header{Name: name, Mode: mode, Size: int64(len(content)), Typeflag: tar.TypeReg}
		switch {
		case strings.HasSuffix(name, "/"):
			h.Typeflag = tar.TypeDir
		case link != "":
			h.Typeflag, h.Linkname = tar.TypeSymlink, link
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	add("./", 0o755, "", "")
	add("./bin", 0o777, "usr/bin", "")
	add("./etc/alternatives/tool", 0o777, "/usr/bin/tool-nft", "")
	add("./lib", 0o777, "usr/lib", "")
	add("./usr/bin/other", 0o755, "", "other")
	add("./usr/bin/tool", 0o777, "/etc/alternatives/tool", "")
	add("./usr/bin/tool-nft", 0o4755, "", "tool")
	add("./usr/lib/libtool.so.1", 0o777, "libtool.so.1.0", "")
	add("./usr/lib/libtool.so.1.0", 0o644, "", "lib")
	add("./usr/share/doc/tool/copyright", 0o644, "", "licence")
	add("./var/lib/dpkg/info/libtool1:amd64.list", 0o644, "", "/.\n/lib\n/lib/libtool.so.1\n/lib/libtool.so.1.0\n")
	add("./var/lib/dpkg/info/other.list", 0o644, "", "/usr/bin/other\n")
	add("./var/lib/dpkg/info/tool.list", 0o644, "",
		"/.\n/usr\n/usr/bin\n/bin/tool-nft\n/usr/share/doc/tool/copyright\n/usr/share/man/man8/tool.8.gz\n/usr/share/removed\n")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFilesOfPackages(t *testing.T) {
	entries, err := debian.Files(rootfs(t), []string{"tool", "libtool1"}, []string{"usr/bin/tool", "etc/alternatives/tool"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, fmt.Sprintf("%s %o %s%s", e.Path, e.Mode, e.Link, e.Data))
	}
	want := []string{
		"bin 777 usr/bin", "etc/alternatives/tool 777 /usr/bin/tool-nft", "lib 777 usr/lib",
		"usr/bin/tool 777 /etc/alternatives/tool", "usr/bin/tool-nft 4755 tool",
		"usr/lib/libtool.so.1 777 libtool.so.1.0", "usr/lib/libtool.so.1.0 644 lib", "usr/share/doc/tool/copyright 644 licence",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestFilesNamesWhatIsMissing(t *testing.T) {
	tarFile := rootfs(t)
	if _, err := debian.Files(tarFile, []string{"tool", "absent"}, nil); err == nil || !strings.Contains(err.Error(), "[absent]") {
		t.Errorf("missing package: %v", err)
	}
	if _, err := debian.Files(tarFile, nil, []string{"usr/bin/absent"}); err == nil || !strings.Contains(err.Error(), "usr/bin/absent") {
		t.Errorf("missing file: %v", err)
	}
}

func TestKeyFollowsInputs(t *testing.T) {
	want := debian.Node().Key()
	if debian.Node().Key() != want {
		t.Error("the key of the same inputs differs")
	}
	for name, change := range map[string]func(*debian.Rootfs){
		"suite":    func(r *debian.Rootfs) { r.Suite = "trixie" },
		"packages": func(r *debian.Rootfs) { r.Packages = r.Packages[1:] },
		"remove":   func(r *debian.Rootfs) { r.Remove = nil },
		"append":   func(r *debian.Rootfs) { r.Append = nil },
	} {
		changed := debian.Node()
		if change(&changed); changed.Key() == want {
			t.Errorf("changed %s: same key", name)
		}
	}
}
