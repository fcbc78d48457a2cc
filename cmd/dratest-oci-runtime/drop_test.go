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
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func lacksResource(name string) bool { return name == "CAP_SYS_RESOURCE" }

// Shortened files of containerd, with content easily lost in decoding: numbers beyond 2^53, unknown
// fields, characters escaped by HTML-safe JSON.
const (
	config = `{"ociVersion":"1.0.2-dev","process":{"user":{"uid":0,"gid":0},"args":["sh","-c","a <b> && c"],` +
		`"capabilities":{"bounding":["CAP_CHOWN","CAP_SYS_RESOURCE","CAP_SYS_TIME"],"effective":["CAP_CHOWN","CAP_SYS_RESOURCE"],` +
		`"permitted":["CAP_SYS_RESOURCE"],"inheritable":["CAP_CHOWN"],"tomorrow":["CAP_SYS_RESOURCE"]},"oomScoreAdj":0},` +
		`"linux":{"resources":{"pids":{"limit":9223372036854775807}},"maskedPaths":null},"tomorrow":{"a":1.50}}`
	configWanted = `{"ociVersion":"1.0.2-dev","process":{"user":{"uid":0,"gid":0},"args":["sh","-c","a <b> && c"],` +
		`"capabilities":{"bounding":["CAP_CHOWN","CAP_SYS_TIME"],"effective":["CAP_CHOWN"],` +
		`"permitted":[],"inheritable":["CAP_CHOWN"],"tomorrow":["CAP_SYS_RESOURCE"]},"oomScoreAdj":0},` +
		`"linux":{"resources":{"pids":{"limit":9223372036854775807}},"maskedPaths":null},"tomorrow":{"a":1.50}}`
	process       = `{"user":{"uid":0},"args":["ls"],"capabilities":{"bounding":["CAP_SYS_RESOURCE"],"ambient":["CAP_KILL"]},"cwd":"/"}`
	processWanted = `{"user":{"uid":0},"args":["ls"],"capabilities":{"bounding":[],"ambient":["CAP_KILL"]},"cwd":"/"}`
)

func TestDropFromFile(t *testing.T) {
	tests := []struct {
		name, text, want string
		process          bool
	}{
		{"config", config, configWanted, false},
		{"process", process, processWanted, true},
		{"config without a process", `{ "ociVersion": "1.0.2" }`, `{ "ociVersion": "1.0.2" }`, false},
		{"process without capabilities", `{"args": ["ls"]}`, `{"args": ["ls"]}`, true},
		{"null", `{"process": {"capabilities": null}}`, `{"process": {"capabilities": null}}`, false},
		{"nothing to drop", `{"capabilities": {"bounding": ["CAP_KILL"], "ambient": []}}`, `{"capabilities": {"bounding": ["CAP_KILL"], "ambient": []}}`, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "config.json")
			if err := os.WriteFile(path, []byte(test.text), 0o640); err != nil {
				t.Fatal(err)
			}
			if err := dropFromFile(path, test.process, lacksResource); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(loose(t, test.want), loose(t, string(got))); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if test.want == test.text && string(got) != test.text {
				t.Errorf("a file without a change was written anew: %s", got)
			}
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
				t.Errorf("mode: %v, %v", info.Mode(), err)
			}
		})
	}
}

// loose decodes JSON without loss of digits, ignoring the order of fields.
func loose(t *testing.T, text string) any {
	t.Helper()
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &fields); err != nil {
		return text
	}
	decoded := map[string]any{}
	for name, value := range fields {
		decoded[name] = loose(t, string(value))
	}
	return decoded
}

func TestDropFromFileRefuses(t *testing.T) {
	for _, text := range []string{"", "[]", `{"process": 1}`, `{"process": {"capabilities": {"bounding": "CAP_KILL"}}}`, `{"process": {`} {
		dir := t.TempDir()
		path := filepath.Join(dir, "config.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := dropFromFile(path, false, lacksResource); err == nil {
			t.Errorf("%q: no error", text)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("%q was changed to %q (%v)", text, got, err)
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
			t.Errorf("%q: left files behind: %v, %v", text, entries, err)
		}
	}
	if err := dropFromFile(filepath.Join(t.TempDir(), "none"), false, lacksResource); err == nil {
		t.Error("no error for a file that is not there")
	}
}
