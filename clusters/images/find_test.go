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

package images

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/images/cache"
	"github.com/dra-conformance/dratest/clusters/images/source"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/clusters/versions"
)

func testBuilder(t *testing.T) *builder {
	t.Helper()
	c, err := cache.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &builder{Options: Options{Progress: &progress.Printer{}}, cache: c}
}

// kubernetesCheckout returns a directory resembling Kubernetes' source, without git tags.
func kubernetesCheckout(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{
		"go.mod":                                 "module k8s.io/kubernetes\n",
		"staging/src/k8s.io/api/go.mod":          "module k8s.io/api\n",
		"cmd/kubeadm/app/constants/constants.go": "package constants\n\nconst (\n\tDefaultEtcdVersion = \"3.7.0-0\"\n\tPauseVersion = \"3.10.2\"\n)\n",
	} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestFindRecordsAVersionNotListed(t *testing.T) {
	b, dir := testBuilder(t), kubernetesCheckout(t)
	_, newest := versions.Supported()
	found, err := b.find(t.Context(), dir+"@"+newest+".0-beta.0", "")
	if err != nil {
		t.Fatal(err)
	}
	if want := newest + ".0-beta.0+" + found.Key[:8]; found.Version.Kubernetes != want || found.Dir != dir {
		t.Errorf("found %+v, want %s in %s", found, want, dir)
	}
	again, err := b.find(t.Context(), found.Version.Kubernetes, "")
	if err != nil || again.Version != found.Version || again.Dir != dir || again.Key != found.Key {
		t.Errorf("by its version: %+v, %v", again, err)
	}
	if from, ok, err := b.local(found.Version.Kubernetes); !ok || err != nil || from.source.Dir != dir {
		t.Errorf("for digests: %+v, %t, %v", from, ok, err)
	}
	release := source.Source{Version: versions.Version{Kubernetes: newest + ".0-rc.0", Etcd: "3.7.0-0"}, Mod: []byte("module x\n"), Sum: []byte("y")}
	if err := b.record(release); err != nil {
		t.Fatal(err)
	}
	if got, err := b.find(t.Context(), newest+".0-rc.0", ""); err != nil || string(got.Mod) != "module x\n" || got.Version != release.Version {
		t.Errorf("a fetched release: %+v, %v", got, err)
	}
}

// Only the part before the first "@" was taken as the directory.
func TestFindInAFolderWithAnAt(t *testing.T) {
	b, dir := testBuilder(t), kubernetesCheckout(t)
	at := filepath.Join(t.TempDir(), "me@work", "kubernetes@v1")
	if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.Rename(dir, at)); err != nil {
		t.Fatal(err)
	}
	_, newest := versions.Supported()
	if found, err := b.find(t.Context(), at+"@"+newest+".0-beta.0", ""); err != nil || found.Dir != at {
		t.Errorf("%+v, %v", found, err)
	}
	if found, err := b.find(t.Context(), at, newest+".0-beta.0"); err != nil || found.Dir != at {
		t.Errorf("with --source: %+v, %v", found, err)
	}
}

// A machine that lost power left an empty file, and each later use of the version failed.
func TestDamagedRecordIsNone(t *testing.T) {
	b := testBuilder(t)
	_, newest := versions.Supported()
	version := newest + ".0-rc.0"
	for _, content := range []string{"", "{", "{}", `{"Version":{"Kubernetes":"` + newest + `.0-rc.1"}}`} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(b.recordFile(version)), 0o755), os.WriteFile(b.recordFile(version), []byte(content), 0o600)); err != nil {
			t.Fatal(err)
		}
		if found, ok, err := b.recorded(version); ok || err != nil {
			t.Errorf("%q: %+v, %t, %v", content, found, ok, err)
		}
	}
}

// A process that builds removes all work directories in the cache, also that in which another one just fetched a release.
func TestFetchWorksOutsideOfTheCache(t *testing.T) {
	b, bin := testBuilder(t), t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "go"), []byte("#!/bin/sh\npwd >&2\nexit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin)
	_, newest := versions.Supported()
	if _, err := b.fetch(t.Context(), newest+".0-rc.0"); err == nil || strings.Contains(err.Error(), b.cache.Dir) || !strings.Contains(err.Error(), "dratest-release-") {
		t.Errorf("fetched in the cache %s: %v", b.cache.Dir, err)
	}
}

func TestFindOfAListedVersion(t *testing.T) {
	b := testBuilder(t)
	for _, text := range []string{"", versions.Newest().Kubernetes, versions.Newest().Minor()} {
		if got, err := b.find(t.Context(), text, ""); err != nil || got.Version != versions.Newest() || got.Mod != nil || got.Dir != "" {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	if _, ok, err := b.local(versions.Newest().Kubernetes); !ok || err != nil {
		t.Errorf("for digests: %t, %v", ok, err)
	}
	// Programs of a distribution report a version that looks like a checkout's.
	if _, ok, err := b.local(versions.Newest().Kubernetes + "+k3s1"); ok || err != nil {
		t.Errorf("a distribution's program counts as built here: %t, %v", ok, err)
	}
}

func TestFindSaysWhatIsWrong(t *testing.T) {
	b, dir := testBuilder(t), kubernetesCheckout(t)
	for text, want := range map[string]string{
		"1.99":                              "or the directory of a checkout",
		"v1.99.0":                           "take a newer release of dratest",
		"/does/not/exist":                   "or the directory of a checkout",
		versions.Newest().Kubernetes + "+x": "name the directory of the checkout",
		dir:                                 "has no git tags that tell its version: name it as " + dir + "@v1.38.0-alpha.1",
		dir + "@v1.99.0":                    "take a newer release of dratest",
		dir + "@1.38":                       "it has to be like",
	} {
		if _, err := b.find(t.Context(), text, ""); !errors.Is(err, clusters.ErrUnknownVersion) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
