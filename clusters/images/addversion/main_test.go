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

package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/clusters/versions"
)

// Rendering the existing table must not change it.
func TestRenderIsTheTable(t *testing.T) {
	got, err := render(versions.All())
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("../../versions/table.go")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("got\n%s", got)
	}
}

func TestWith(t *testing.T) {
	rows := []versions.Version{{Kubernetes: "v1.37.1", Published: "v1.37.0", Digest: "sha256:0"}, {Kubernetes: "v1.36.4"}}
	for _, tc := range []struct{ name, add, kind, want, replaced, published string }{
		{"next", "v1.38.0", "kindest/node:v1.37.0@sha256:0", "v1.38.0 v1.37.1 v1.36.4", "", ""},
		{"next, known to kind", "v1.38.0", "kindest/node:v1.38.1@sha256:1", "v1.38.0 v1.37.1 v1.36.4", "", "v1.38.1@sha256:1"},
		{"patch level", "v1.37.10", "kindest/node:v1.37.0@sha256:0", "v1.37.10 v1.36.4", "v1.37.1", "v1.37.0@sha256:0"},
		{"again", "v1.37.1", "", "v1.37.1 v1.36.4", "v1.37.1", "v1.37.0@sha256:0"},
		{"old", "v1.9.1", "", "v1.37.1 v1.36.4 v1.9.1", "", ""},
	} {
		all, replaced := with(rows, versions.Version{Kubernetes: tc.add}, tc.kind)
		var names []string
		published := ""
		for _, v := range all {
			names = append(names, v.Kubernetes)
			if v.Kubernetes == tc.add && v.Published != "" {
				published = v.Published + "@" + v.Digest
			}
		}
		if strings.Join(names, " ") != tc.want || replaced != tc.replaced || published != tc.published {
			t.Errorf("%s: %v, replaced %q, published %q", tc.name, names, replaced, published)
		}
	}
	if !slices.IsSortedFunc(versions.All(), func(a, b versions.Version) int { return strings.Compare(b.Kubernetes, a.Kubernetes) }) {
		t.Error("the table is not sorted")
	}
}

func TestAddRefusesPreReleases(t *testing.T) {
	if err := add(t.Context(), t.TempDir(), "v1.38.0-alpha.1"); err == nil || !strings.Contains(err.Error(), "--version v1.38.0-alpha.1") {
		t.Errorf("got %v", err)
	}
}
