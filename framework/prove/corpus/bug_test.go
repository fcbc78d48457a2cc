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

package corpus

import (
	"strings"
	"testing"
)

func TestPublishedBugs(t *testing.T) {
	bugs, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	if len(bugs) < 80 {
		t.Errorf("%d bugs, want at least 80", len(bugs))
	}
	s, err := LoadSearch()
	if err != nil {
		t.Fatal(err)
	}
	if s.Date == "" || s.Lines == "" || len(s.Changelogs) == 0 || len(s.Modules) == 0 || len(s.Queries) == 0 || len(s.Rules) == 0 {
		t.Errorf("search.yaml is incomplete: %+v", s)
	}
}

func TestBugsAreChecked(t *testing.T) {
	good := Bug{ID: "kubernetes#1", What: "It fails.", Promise: "It works.", Component: Driver, Fixed: []string{"1.37.1"}, Source: "changelog 1.38.0-alpha.1"}
	if err := good.validate(); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*Bug){
		"owner/repository#1": func(b *Bug) { b.Also = []string{"kubernetes/kubernetes#2"} },
		"sentences":          func(b *Bug) { b.Promise = "" },
		"component":          func(b *Bug) { b.Component = "kube-proxy" },
		"fixed":              func(b *Bug) { b.Fixed = []string{"1.37"} },
		"introduced":         func(b *Bug) { b.Introduced = "v1.36.0" },
		"source":             func(b *Bug) { b.Source = "" },
	} {
		bad := good
		change(&bad)
		if err := bad.validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", want, err)
		}
	}
}
