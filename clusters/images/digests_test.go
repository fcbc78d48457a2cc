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
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/dra-conformance/dratest/clusters/images/cache"
	"github.com/dra-conformance/dratest/clusters/images/layer"
	"github.com/dra-conformance/dratest/clusters/images/modules"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/clusters/versions"
	"github.com/dra-conformance/dratest/framework/spec"
)

// inCache puts a program where its build would.
func inCache(t *testing.T, dir, program string, content string) string {
	t.Helper()
	c, err := cache.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	m, err := modules.NewBuilder(t.Context(), c, &progress.Printer{})
	if err != nil {
		t.Fatal(err)
	}
	path, _, err := m.Path(modules.Kubernetes(versions.Newest(), program))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestDigestsAreOfWhatWasBuilt(t *testing.T) {
	dir, newest := t.TempDir(), versions.Newest().Kubernetes
	kubelet, scheduler := spec.Artifact{Program: "kubelet", Version: newest}, spec.Artifact{Program: "kube-scheduler", Version: newest}
	inCache(t, dir, "kubelet", "abcd")
	path := inCache(t, dir, "kube-scheduler", "abcd")
	wanted := []spec.Artifact{
		kubelet, scheduler, {Program: "kube-controller-manager", Version: newest}, {Program: "kubelet", Version: "v1.37.0"}, {Program: "kubelet", Version: "unknown"},
	}

	got, err := Local{Cache: dir}.Digests(t.Context(), wanted)

	if err != nil || len(got) != 2 {
		t.Fatalf("got %v, %v", got, err)
	}
	if want := "sha256:88d4266fd4e6338d13b845fcf289579d209c897823b9217da3e161936f031589"; fmt.Sprint(got[kubelet]) != "["+want+"]" {
		t.Errorf("kubelet: %s, want %s", got[kubelet], want)
	}
	// Images preloaded in node images are compressed, with the same configuration.
	b := &builder{}
	preloaded, err := b.componentImage(t.Context(), "", "", component{
		files: []layer.Entry{{Path: "usr/local/bin/kube-scheduler", Mode: 0o755, File: path}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if want, err := preloaded.ConfigName(); err != nil || got[scheduler][0] != want.String() {
		t.Errorf("kube-scheduler: %s, %v, want %s", got[scheduler], err, want)
	}

	inCache(t, dir, "kube-scheduler", "abce")
	again, err := Local{Cache: dir}.Digests(t.Context(), wanted)
	if err != nil || again[scheduler][0] == got[scheduler][0] {
		t.Errorf("one byte is another, and the digest the same: %v, %v", again, err)
	}
}
