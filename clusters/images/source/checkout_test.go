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

package source_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/images/source"
)

// checkout is a directory resembling Kubernetes' source.
func checkout(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{
		"go.mod":                                 "module k8s.io/kubernetes\n",
		"staging/src/k8s.io/api/go.mod":          "module k8s.io/api\n",
		"pkg/kubelet/kubelet.go":                 "package kubelet\n",
		"pkg/kubelet/kubelet_test.go":            "package kubelet\n",
		"test/e2e/e2e.go":                        "package e2e\n",
		"cmd/kubeadm/app/constants/constants.go": "package constants\n\nconst (\n\tDefaultEtcdVersion = \"3.7.0-0\"\n\tPauseVersion = \"3.10.2\"\n)\n",
	} {
		write(t, dir, name, content)
	}
	return dir
}

func write(t *testing.T, dir, name, content string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, dir, version string) source.Source {
	t.Helper()
	c, err := source.Open(t.Context(), dir, version)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestKeyFollowsWhatIsCompiled(t *testing.T) {
	dir := checkout(t)
	before := open(t, dir, "").Key
	write(t, dir, "pkg/kubelet/kubelet_test.go", "package kubelet // changed\n")
	write(t, dir, "test/e2e/e2e.go", "package e2e // changed\n")
	write(t, dir, ".git/index", "x")
	if open(t, dir, "").Key != before {
		t.Error("a file that no program has changes the key")
	}
	write(t, dir, "pkg/kubelet/kubelet.go", "package kubelet // changed\n")
	changed := open(t, dir, "").Key
	if changed == before {
		t.Error("a changed file does not change the key")
	}
	write(t, dir, "pkg/kubelet/test/new.go", "package test\n")
	if open(t, dir, "").Key == changed {
		t.Error("a new file does not change the key")
	}
}

// A link to a checkout had the key of no files: changes were not built.
func TestKeyOfALink(t *testing.T) {
	dir := checkout(t)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	if key, want := open(t, link, "").Key, open(t, dir, "").Key; key != want {
		t.Errorf("key %s, that of the directory is %s", key, want)
	}
}

func TestVersion(t *testing.T) {
	dir := checkout(t)
	if c := open(t, dir, ""); c.Version.Kubernetes != "" {
		t.Errorf("without tags: %+v", c.Version)
	}
	c := open(t, dir, "v1.38.0-alpha.1")
	if v := c.Version; v.Kubernetes != "v1.38.0-alpha.1+"+c.Key[:8] || v.Etcd != "3.7.0-0" || v.Pause != "3.10.2" || v.Built == "" {
		t.Errorf("as given: %+v", v)
	}
	for _, args := range []string{"init -q", "-c user.name=n -c user.email=e commit -q --allow-empty -m x", "tag v1.38.0-beta.0"} {
		if out, err := exec.Command("git", append([]string{"-C", dir}, strings.Fields(args)...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v: %s", args, err, out)
		}
	}
	if c := open(t, dir, ""); !strings.HasPrefix(c.Version.Kubernetes, "v1.38.0-beta.0+") {
		t.Errorf("of the last tag: %+v", c.Version)
	}
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	module := checkout(t)
	if err := os.RemoveAll(filepath.Join(module, "staging")); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{
		t.TempDir():       "not the root of a checkout",
		"/does/not/exist": "not the root of a checkout",
		module:            "has no staging modules",
	} {
		if _, err := source.Open(t.Context(), dir, ""); !errors.Is(err, clusters.ErrEnvironment) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", dir, err)
		}
	}
	if _, err := source.Open(t.Context(), checkout(t), "1.38"); !errors.Is(err, clusters.ErrUnknownVersion) {
		t.Errorf("bad version: %v", err)
	}
}
