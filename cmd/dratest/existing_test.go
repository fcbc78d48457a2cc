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
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/testbed"
)

const contextA = `
apiVersion: v1
kind: Config
current-context: a
clusters: [{name: a, cluster: {server: "https://192.0.2.1"}}]
users: [{name: a, user: {token: t}}]
contexts: [{name: a, context: {cluster: a, user: a}}, {name: mixed, context: {cluster: b, user: a}}]
`

const contextB = `
apiVersion: v1
kind: Config
current-context: b
clusters: [{name: b, cluster: {server: "https://192.0.2.2"}}]
users: [{name: b, user: {token: t}}]
contexts: [{name: b, context: {cluster: b, user: b}}]
`

// The provider "existing" finds the cluster that kubectl would use.
func TestFindExisting(t *testing.T) {
	dir := t.TempDir()
	a, b, none := filepath.Join(dir, "a"), filepath.Join(dir, "b"), filepath.Join(dir, "none")
	for file, text := range map[string]string{a: contextA, b: contextB} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	both := a + string(filepath.ListSeparator) + b
	for name, tc := range map[string]struct {
		env             string
		given           testbed.Config
		file, context   string
		problem         string
		anotherProvider bool
	}{
		"current context":               {env: a, file: a, context: "a"},
		"of the first file":             {env: both, file: a, context: "a"},
		"of a later file":               {env: both, given: testbed.Config{Context: "b"}, file: b, context: "b"},
		"a missing file is passed over": {env: none + string(filepath.ListSeparator) + b, file: b, context: "b"},
		"the flag takes precedence":     {env: a, given: testbed.Config{Kubeconfig: b}, file: b},
		"other providers do not look":   {env: a, anotherProvider: true},
		"no file":                       {env: none, problem: "no contexts in " + none + ": give --kubeconfig"},
		"no such context":               {env: a, given: testbed.Config{Context: "z"}, problem: `no context "z" in ` + a + ", only a, mixed"},
		"of several files":              {env: both, given: testbed.Config{Context: "mixed"}, problem: "kubectl config view --flatten"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("KUBECONFIG", tc.env)
			got := tc.given
			if got.Cluster.Provider = testbed.Existing; tc.anotherProvider {
				got.Cluster.Provider = clusters.ProviderKind
			}
			err := findExisting(io.Discard, &got)
			switch {
			case tc.problem != "":
				if err == nil || !strings.Contains(err.Error(), tc.problem) {
					t.Errorf("got %v", err)
				}
			case err != nil || got.Kubeconfig != tc.file || got.Context != tc.context:
				t.Errorf("got %s, %s, %v", got.Kubeconfig, got.Context, err)
			case !tc.anotherProvider && got.Cluster.Provider != "":
				t.Errorf("provider %q", got.Cluster.Provider)
			}
		})
	}
}
