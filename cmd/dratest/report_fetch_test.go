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
	"testing"
)

// TestHasReport: the results of a soak in a Job were fetched, and called none.
func TestHasReport(t *testing.T) {
	for file, want := range map[string]bool{"report.json": true, "soak.json": true, "run.log": false} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, file), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := hasReport(dir); got != want {
			t.Errorf("%s: %t, want %t", file, got, want)
		}
	}
}

// TestEarlierResultsAreNotFetched: beside the soak.json of an earlier fetch, a run that left no report had one.
func TestEarlierResultsAreNotFetched(t *testing.T) {
	dir := t.TempDir()
	for _, file := range []string{"report.json", "soak.json"} {
		if err := os.WriteFile(filepath.Join(dir, file), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := removeResults(dir); err != nil || hasReport(dir) {
		t.Errorf("a report is left, %v", err)
	}
}
