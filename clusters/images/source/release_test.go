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

package source

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/clusters"
)

func TestRequiring(t *testing.T) {
	theirs := `module k8s.io/kubernetes

go 1.27.0

godebug default=go1.27

require (
	example.com/other v0.0.0
	k8s.io/api v0.0.0
	k8s.io/klog/v2 v2.140.0
	k8s.io/kubelet v0.0.0 // indirect
)

replace k8s.io/api => ./staging/src/k8s.io/api
`
	got, err := requiring("v1.38.0-alpha.1", []byte(theirs))
	if err != nil {
		t.Fatal(err)
	}
	want := `module github.com/dra-conformance/dratest/clusters/images/kubernetes-v1.38.0-alpha.1

go 1.27.0

godebug default=go1.27

require k8s.io/kubernetes v1.38.0-alpha.1

replace (
	k8s.io/api => k8s.io/api v0.38.0-alpha.1
	k8s.io/kubelet => k8s.io/kubelet v0.38.0-alpha.1
)

tool (
`
	if !strings.HasPrefix(string(got), want) || !strings.Contains(string(got), "\tk8s.io/kubernetes/cmd/kubelet\n") {
		t.Errorf("got\n%s", got)
	}
	if _, err := requiring("v1.38.0", []byte("module x\n")); err == nil || !strings.Contains(err.Error(), "Go version") {
		t.Errorf("without a Go version: %v", err)
	}
}

func TestCheck(t *testing.T) {
	for _, ok := range []string{"v1.38.0", "v1.38.0-alpha.1", "v1.38.0-rc.0"} {
		if err := Check(ok); err != nil {
			t.Error(err)
		}
	}
	for _, bad := range []string{"", "1.38.0", "v1.38", "v2.0.0", "v1.38.0+x", "latest", "../x"} {
		if err := Check(bad); !errors.Is(err, clusters.ErrUnknownVersion) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// The go command's words are of Go 1.26 and a module proxy of 2026.
func TestExplain(t *testing.T) {
	other := errors.New("other")
	for name, tc := range map[string]struct {
		output string
		is     error
		want   string
	}{
		"old go command": {"go: k8s.io/kubernetes@v1.38.0-beta.0 requires go >= 1.27.0 (running go 1.26.8; GOTOOLCHAIN=local)", clusters.ErrEnvironment,
			"Kubernetes v1.38.0 needs Go 1.27.0 or newer, and this is Go 1.26.8: install it from https://go.dev/dl/, or set GOTOOLCHAIN=auto"},
		"old go command in a workspace": {"go: go.work requires go >= 1.27.0 (running go 1.26.8; GOTOOLCHAIN=local)", clusters.ErrEnvironment, "Go 1.27.0 or newer"},
		"module that is not served": {"x imports\n\ty: example.com/diff/v7@v7.0.1: reading https://proxy.example.com/diff/v7/@v/v7.0.1.zip: 403 Forbidden\n\tserver response: not here\n",
			clusters.ErrEnvironment, "Kubernetes v1.38.0 requires example.com/diff/v7@v7.0.1, which the Go module proxy does not serve (server response: not here)"},
		"Kubernetes itself": {"k8s.io/kubernetes@v1.38.0: reading https://proxy.example.com/k8s.io/kubernetes/@v/v1.38.0.info: 404 Not Found", other, "other"},
		"anything else":     {"go: no space left on device", other, "other"},
	} {
		if err := Explain("Kubernetes v1.38.0", tc.output, other); !errors.Is(err, tc.is) || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTags(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "cmd", "kubeadm", "app", "constants", "constants.go")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("package constants\n\nconst (\n\tMinExternalEtcdVersion = \"1\"\n\tDefaultEtcdVersion = \"3.7.0-0\"\n\tPauseVersion       = \"3.10.2\"\n)\n")
	if etcd, pause, err := Tags(dir); etcd != "3.7.0-0" || pause != "3.10.2" || err != nil {
		t.Errorf("%q, %q, %v", etcd, pause, err)
	}
	write("package constants\n\nconst PauseImage = \"x\"\n")
	if _, _, err := Tags(dir); err == nil || !strings.Contains(err.Error(), "has no PauseVersion") {
		t.Errorf("without constants: %v", err)
	}
}
