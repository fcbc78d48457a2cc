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

package perf

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/clusters"
)

func TestSubjectsAreToldApart(t *testing.T) {
	program := filepath.Join(t.TempDir(), "mine")
	if err := os.WriteFile(program, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := Variant{Stack: clusters.AllStock(), Version: "v1.36.4", Programs: map[string]string{"kube-scheduler": program}}.Describe()
	if want := "stock v1.36.4, kube-scheduler is mine (sha256:2d711642b726)"; err != nil || got != want {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	_, err = Variant{Programs: map[string]string{"etcd": program + "?"}}.Describe()
	if err == nil || !strings.Contains(err.Error(), "read what runs as etcd: open") {
		t.Errorf("a program that is not there: %v", err)
	}
}

func TestSubjectsOfProgramsThatCannotRun(t *testing.T) {
	program := filepath.Join(t.TempDir(), "mine")
	if err := os.WriteFile(program, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ name, path, message string }{
		{"scheduler", program, `a control plane has no program "scheduler", only etcd, kube-apiserver`},
		{"kube-scheduler", program, "permission denied"},
		{"kube-scheduler", program + "?", "no such file"},
	} {
		err := Variant{Programs: map[string]string{tc.name: tc.path}}.Validate()
		if err == nil || !strings.Contains(err.Error(), tc.message) {
			t.Errorf("%s=%s: got %v, want %q", tc.name, tc.path, err, tc.message)
		}
	}
	if err := os.Chmod(program, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := (Variant{Programs: map[string]string{"kube-scheduler": program}}).Validate(); err != nil {
		t.Error(err)
	}
}
