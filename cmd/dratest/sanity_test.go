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
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/reports"
)

// A report of checks would be mistaken for part of a run if an earlier run's conformance report,
// journal and log stayed beside it.
func TestSanityLeavesNothingOfAnEarlierRun(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../reports/testdata/run")); err != nil {
		t.Fatal(err)
	}
	const mine = "notes.txt"
	if err := os.WriteFile(filepath.Join(dir, mine), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	out, code := execute(t, "sanity", "--kubeconfig", "nowhere", "--driver", "gpu.example.com", "--node", "worker", "--report-dir", dir)
	if code == 0 || !strings.Contains(out, "nowhere") {
		t.Fatal(out)
	}
	var left []string
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			left = append(left, filepath.Base(path))
		}
		return err
	})
	if d := cmp.Diff([]string{reports.JUnitFile, mine}, left); err != nil || d != "" {
		t.Errorf("%v\n%s", err, d)
	}
	if junit := readFile(t, filepath.Join(dir, reports.JUnitFile)); !strings.Contains(junit, "<error") || !strings.Contains(junit, "nowhere") {
		t.Error(junit)
	}
}
