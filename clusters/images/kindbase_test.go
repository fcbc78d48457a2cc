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
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/dra-conformance/dratest/clusters/versions"
)

// kindTree has the parts of kind's files matched by edits.
func kindTree() fstest.MapFS {
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s), Mode: 0o444} }
	return fstest.MapFS{
		"etc/containerd/config.toml": file("  sandbox_image = \"registry.k8s.io/pause:3.10\"\n  restrict_oom_score_adj = false\n"),
		"etc/systemd/system/containerd.service": file("ExecStart=/usr/local/bin/containerd\nLimitNPROC=infinity\n" +
			"LimitCORE=infinity\nLimitNOFILE=infinity\nTasksMax=infinity\nOOMScoreAdjust=-999\n"),
		"kind/bin/mount-product-files.sh": file("#!/bin/bash\n"),
		"kind/README.txt":                 file("x"),
		"usr/local/bin/entrypoint":        file("#!/bin/bash\n"),
	}
}

func TestKindFiles(t *testing.T) {
	for _, tc := range []struct {
		restricted   bool
		config, unit string
	}{
		{false, "restrict_oom_score_adj = false", "LimitCORE=infinity\nLimitNOFILE=infinity\nTasksMax=infinity\nOOMScoreAdjust=-999\n"},
		{true, "restrict_oom_score_adj = true", "ExecStart=/usr/local/bin/containerd\nTasksMax=infinity\n"},
	} {
		entries, err := kindFiles(kindTree(), edits(versions.Newest(), tc.restricted))
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for _, e := range entries {
			got[e.Path] = string(e.Data)
			if script := strings.Contains(e.Path, "/bin/"); script != (e.Mode == 0o755) {
				t.Errorf("%s has mode %o", e.Path, e.Mode)
			}
		}
		config := got["etc/containerd/config.toml"]
		if !strings.Contains(config, tc.config) || !strings.Contains(config, `"registry.k8s.io/pause:`+versions.Newest().Pause+`"`) {
			t.Errorf("restricted %t: configuration %s", tc.restricted, config)
		}
		if unit := got["etc/systemd/system/containerd.service"]; !strings.HasSuffix(unit, tc.unit) {
			t.Errorf("restricted %t: unit %s", tc.restricted, unit)
		}
	}
}

func TestKindFilesThatChangedAreNoticed(t *testing.T) {
	tree := kindTree()
	tree["etc/containerd/config.toml"].Data = []byte("version = 3\n")
	_, err := kindFiles(tree, edits(versions.Newest(), false))
	if err == nil || !strings.Contains(err.Error(), "etc/containerd/config.toml") {
		t.Errorf("got %v", err)
	}
}

func TestWithHook(t *testing.T) {
	got, err := withHook([]byte(`{"process":{"rlimits":[{"type":"RLIMIT_NOFILE"}],"cwd":"/"},"linux":{"big":9223372036854775807}}`))
	if err != nil {
		t.Fatal(err)
	}
	var spec struct {
		Process map[string]any
		Hooks   map[string][]struct{ Path string }
		Linux   map[string]json.Number
	}
	if err := json.Unmarshal(got, &spec); err != nil {
		t.Fatal(err)
	}
	if _, ok := spec.Process["rlimits"]; ok || spec.Process["cwd"] != "/" {
		t.Errorf("process is %v", spec.Process)
	}
	if hooks := spec.Hooks["createContainer"]; len(hooks) != 1 || hooks[0].Path != "/kind/bin/mount-product-files.sh" {
		t.Errorf("hooks are %v", spec.Hooks)
	}
	if spec.Linux["big"] != "9223372036854775807" {
		t.Errorf("a number was changed: %v", spec.Linux)
	}
	if _, err := withHook([]byte("ctr: no such command")); err == nil {
		t.Error("no error for what is not JSON")
	}
}

func TestUnitLinksPointToTheirUnits(t *testing.T) {
	for _, e := range unitEntries() {
		if e.Link != "/dev/null" && e.Link != "/etc/systemd/system/"+e.Path[strings.LastIndex(e.Path, "/")+1:] {
			t.Errorf("%s points to %s", e.Path, e.Link)
		}
	}
}

func TestLacksSysResource(t *testing.T) {
	for status, want := range map[string]bool{
		"Name:\tx\nCapBnd:\t000001fffeffffff\n": true,
		"Name:\tx\nCapBnd:\t000001ffffffffff\n": false,
		"CapBnd:\t0000000000000000\n":           true,
		"Name:\tx\n":                            false,
	} {
		if got := lacksSysResource(status); got != want {
			t.Errorf("%q: got %t", status, got)
		}
	}
}
