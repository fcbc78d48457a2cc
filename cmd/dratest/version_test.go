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
	"bytes"
	"encoding/json"
	"runtime"
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/reports/schema"
)

func TestVersion(t *testing.T) {
	for output, want := range map[string]string{"text": runtime.GOOS + "/" + runtime.GOARCH + " " + runtime.Version(), "json": `"goVersion": "` + runtime.Version()} {
		cmd, out := newRootCommand(), &bytes.Buffer{}
		cmd.SetArgs([]string{"version", "-o", output})
		cmd.SetOut(out)
		if err := cmd.Execute(); err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("%s: expected %q, got %v: %s", output, want, err, out)
		}
	}
	cmd := newRootCommand()
	cmd.SetArgs([]string{"version", "-o", "xml"})
	if code := exitCode(cmd.Execute()); code != codeUsage {
		t.Errorf("unknown output: code %d", code)
	}
}

func TestVersionText(t *testing.T) {
	b := buildInfo{schema.Suite{Version: "v1.2.3", Commit: "abc", Modified: true}, "go1.26.8", "linux/arm64"}
	if got, want := b.String(), "dratest v1.2.3 linux/arm64 go1.26.8 commit abc (modified)"; got != want {
		t.Errorf("expected %q, got %q", want, got)
	}
	data, err := json.Marshal(b)
	if want := `{"version":"v1.2.3","commit":"abc","modified":true,"goVersion":"go1.26.8","platform":"linux/arm64"}`; err != nil || string(data) != want {
		t.Errorf("expected %s, got %s, %v", want, data, err)
	}
}
