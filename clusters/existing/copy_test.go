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

package existing_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/existing"
)

// If another user had created /tmp/dratest-0 with an empty kubeconfig or a link in it, root's credentials were written to
// the other user's file, or replaced a file of root. "cluster list" was enough, without a reachable cluster.
func TestCredentialsStayPrivate(t *testing.T) {
	for name, prepare := range map[string]func(dir string) error{
		"everybody can write to the directory": func(dir string) error { return errors.Join(os.Mkdir(dir, 0o700), os.Chmod(dir, 0o777)) },
		"everybody can read the directory":     func(dir string) error { return errors.Join(os.Mkdir(dir, 0o700), os.Chmod(dir, 0o744)) },
		"it is a link": func(dir string) error {
			return errors.Join(os.Mkdir(dir+"-elsewhere", 0o700), os.Symlink(dir+"-elsewhere", dir))
		},
		"it is a file": func(dir string) error { return os.WriteFile(dir, nil, 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := temporary(t)
			p := &existing.Provider{Kubeconfig: kubeconfig(t, start(t, &api{dra: []string{"v1"}})), Context: "second"}
			if err := prepare(dir); err != nil {
				t.Fatal(err)
			}
			if _, err := p.Create(t.Context(), clusters.Config{}); !errors.Is(err, clusters.ErrEnvironment) {
				t.Errorf("got error %v", err)
			}
			if found, err := filepath.Glob(dir + "*/*"); err != nil || len(found) > 0 {
				t.Errorf("written: %v, %v", found, err)
			}
		})
	}
	if os.Getuid() == 0 {
		t.Run("it is another user's", func(t *testing.T) {
			dir := temporary(t)
			p := &existing.Provider{Kubeconfig: kubeconfig(t, start(t, &api{dra: []string{"v1"}})), Context: "second"}
			if err := errors.Join(os.Mkdir(dir, 0o700), os.Chown(dir, 65534, 65534)); err != nil {
				t.Fatal(err)
			}
			if _, err := p.Create(t.Context(), clusters.Config{}); !errors.Is(err, clusters.ErrEnvironment) {
				t.Errorf("got error %v", err)
			}
		})
	}
}

// An existing file is replaced: it could have another owner, other permissions, or be a link.
func TestCredentialsAreWrittenToANewFile(t *testing.T) {
	temporary(t)
	p := &existing.Provider{Kubeconfig: kubeconfig(t, start(t, &api{dra: []string{"v1"}})), Context: "second"}
	made, err := p.Create(t.Context(), clusters.Config{})
	if err != nil {
		t.Fatal(err)
	}
	victim := filepath.Join(t.TempDir(), "victim")
	if err := errors.Join(os.WriteFile(victim, []byte("mine"), 0o644), os.Remove(made.Kubeconfig), os.Symlink(victim, made.Kubeconfig)); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Create(t.Context(), clusters.Config{}); err != nil {
		t.Fatal(err)
	}
	if content, err := os.ReadFile(victim); err != nil || string(content) != "mine" {
		t.Errorf("written through the link: %q, %v", content, err)
	}
	if info, err := os.Lstat(made.Kubeconfig); err != nil || info.Mode() != 0o600 {
		t.Errorf("the kubeconfig has %v, %v", info, err)
	}
}

// Two kubeconfigs with a context of the same name shared one copy: the second Create redirected the first run to another
// cluster.
func TestCopiesOfTwoKubeconfigs(t *testing.T) {
	temporary(t)
	paths := map[string]bool{}
	for range 2 {
		p := &existing.Provider{Kubeconfig: kubeconfig(t, start(t, &api{dra: []string{"v1"}})), Context: "second"}
		made, err := p.Create(t.Context(), clusters.Config{})
		if err != nil {
			t.Fatal(err)
		}
		paths[made.Kubeconfig] = true
	}
	if len(paths) != 2 {
		t.Errorf("one copy for two clusters: %v", paths)
	}
}

// KUBECONFIG=config in two directories led to one copy, so that the second Create led the first run to another cluster.
func TestCopiesOfARelativeKubeconfig(t *testing.T) {
	temporary(t)
	paths := map[string]bool{}
	for range 2 {
		p := &existing.Provider{Context: "second"}
		made := kubeconfig(t, start(t, &api{dra: []string{"v1"}}))
		t.Chdir(filepath.Dir(made))
		t.Setenv("KUBECONFIG", filepath.Base(made))
		got, err := p.Create(t.Context(), clusters.Config{})
		if err != nil {
			t.Fatal(err)
		}
		paths[got.Kubeconfig] = true
	}
	if len(paths) != 2 {
		t.Errorf("one copy for two clusters: %v", paths)
	}
}

// Create prints the path of the copy. Delete with this path left the copy and its credentials behind, since it looked
// for a copy of the copy.
func TestDeleteByTheCopy(t *testing.T) {
	dir := temporary(t)
	path := kubeconfig(t, start(t, &api{dra: []string{"v1"}}))
	made, err := (&existing.Provider{Kubeconfig: path, Context: "second"}).Create(t.Context(), clusters.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for _, own := range []string{made.Kubeconfig, path} {
		if err := (&existing.Provider{Kubeconfig: own}).Delete(t.Context(), ""); err != nil {
			t.Error(err)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Errorf("the user's kubeconfig: %v", err)
	}
}

// Credentials of a deleted cluster stayed in the temporary directory: Delete contacted the cluster first, and failed.
func TestDeleteWithoutTheClusterRemovesCredentials(t *testing.T) {
	dir := temporary(t)
	server := start(t, &api{dra: []string{"v1"}})
	path := kubeconfig(t, server)
	p := &existing.Provider{Kubeconfig: path, Context: "second"}
	if _, err := p.Create(t.Context(), clusters.Config{}); err != nil {
		t.Fatal(err)
	}
	gone, err := os.ReadFile(kubeconfig(t, "http://127.0.0.1:1"))
	if err == nil {
		err = os.WriteFile(path, gone, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Delete(t.Context(), ""); !errors.Is(err, clusters.ErrEnvironment) {
		t.Errorf("got error %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}
