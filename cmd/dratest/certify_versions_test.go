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
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/clusters/versions"
	"github.com/dra-conformance/dratest/framework/certify"
	"github.com/dra-conformance/dratest/reports/matrix"
	"github.com/dra-conformance/dratest/reports/schema"
)

// TestVersionsGoOn: an error on one version does not prevent a verdict on the others.
func TestVersionsGoOn(t *testing.T) {
	all, err := certify.VersionRange("1.35..1.37", versions.Lookup)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name string
		came map[string]schema.DriverVerdict // verdict by minor version; empty for an error
		code int
		want string
	}{
		{"all", map[string]schema.DriverVerdict{"v1.35": schema.DriverCertified, "v1.36": schema.DriverCertified, "v1.37": schema.DriverCertified}, 0, "| `certificate` | certified | certified | certified |"},
		{"no cluster", map[string]schema.DriverVerdict{"v1.35": "", "v1.36": schema.DriverCertified, "v1.37": schema.DriverIncomplete}, codeEnvironment, "| `certificate` | certified | incomplete |"},
		{"failed", map[string]schema.DriverVerdict{"v1.35": schema.DriverIncomplete, "v1.36": schema.DriverNotCertified, "v1.37": ""}, codeCasesFailed, "| `certificate` | incomplete | not certified |"},
		{"incomplete", map[string]schema.DriverVerdict{"v1.35": schema.DriverCertified, "v1.36": schema.DriverIncomplete, "v1.37": schema.DriverCertified}, codeIncomplete, "| incomplete |"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir, out := t.TempDir(), bytes.Buffer{}
			results, err := certify.EachVersion(&out, dir, all, func(v versions.Version, reportDir string) (schema.Certificate, error) {
				verdict := tc.came[v.Minor()]
				if verdict == "" {
					return schema.Certificate{}, errors.New("no image of this version")
				}
				if err := os.CopyFS(reportDir, os.DirFS("../../reports/testdata/run")); err != nil {
					t.Fatal(err)
				}
				return certificate(verdict), nil
			})
			if err != nil {
				t.Fatal(err)
			}
			err = versionsError(&out, results)
			if err != nil && exitCode(err) != tc.code || (err == nil) != (tc.code == 0) {
				t.Errorf("got %v, want exit code %d", err, tc.code)
			}
			table, err := os.ReadFile(filepath.Join(dir, matrix.MarkdownFile))
			if err != nil || !strings.Contains(string(table), tc.want) {
				t.Errorf("%v, matrix is\n%s", err, table)
			}
			for minor, verdict := range tc.came {
				if verdict == "" && !strings.Contains(out.String(), ": no verdict: no image of this version") {
					t.Errorf("%s is not told of: %s", minor, out.String())
				}
			}
		})
	}
}
