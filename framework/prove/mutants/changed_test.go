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

package mutants

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/command"
	"github.com/dra-conformance/dratest/framework/prove"
	"github.com/dra-conformance/dratest/framework/prove/components"
	"github.com/dra-conformance/dratest/framework/spec"
)

func TestChangedFilesSayWhichMutantsAreTried(t *testing.T) {
	whole := prove.Proof{
		Trials: []prove.Trial{
			{ID: "scheduler-a", Must: []string{"claims/one"}},
			{ID: "scheduler-b", Must: []string{"claims/two", "claims/one"}},
			{ID: "api-c", Must: []string{"claims/three"}},
		},
		Observers: []string{"claims/one", "claims/two", "claims/three"},
	}
	ofComponents := []components.Mutant{
		{Defect: spec.Defect{ID: "scheduler-a"}, Edits: []components.Edit{{File: "scheduler/a.go"}}},
		{Defect: spec.Defect{ID: "scheduler-b"}, Edits: []components.Edit{{File: "scheduler/a.go"}, {File: "scheduler/b.go"}}},
	}
	checkout := fstest.MapFS{
		"suites/claims/two.go":             {Data: []byte(`Meta{ID: "claims/two"}`)},
		"suites/claims/names.go":           {Data: []byte(`after := []string{"claims/two"}`)},
		"suites/claims/three.go":           {Data: []byte(`Meta{ID: "claims/three"}`)},
		"suites/claims/three_test.go":      {Data: []byte(`"claims/one"`)},
		"implementation/scheduler/a.go":    {},
		"implementation/scheduler/b.go":    {},
		"implementation/scheduler/used.go": {Data: []byte(`"claims/one"`)},
	}
	for name, row := range map[string]struct{ files, trials, observers []string }{
		"nothing":                {},
		"source of two mutants":  {files: []string{"implementation/scheduler/a.go"}, trials: []string{"scheduler-a", "scheduler-b"}},
		"the case of one":        {files: []string{"suites/claims/two.go"}, trials: []string{"scheduler-b"}, observers: []string{"claims/two"}},
		"in the order of files":  {files: []string{"suites/claims/three.go", "implementation/scheduler/a.go"}, trials: []string{"api-c", "scheduler-a", "scheduler-b"}, observers: []string{"claims/three"}},
		"each once":              {files: []string{"implementation/scheduler/b.go", "implementation/scheduler/a.go"}, trials: []string{"scheduler-b", "scheduler-a"}},
		"a case in two files":    {files: []string{"suites/claims/two.go", "suites/claims/names.go"}, trials: []string{"scheduler-b"}, observers: []string{"claims/two"}},
		"tests, and other files": {files: []string{"suites/claims/three_test.go", "implementation/scheduler/used.go", "README.md"}},
		"a file that is gone":    {files: []string{"suites/claims/one.go"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := about(whole, ofComponents, checkout, row.files)
			if err != nil {
				t.Fatal(err)
			}
			var trials []string
			for _, trial := range got.Trials {
				trials = append(trials, trial.ID)
			}
			if diff := cmp.Diff(row.trials, trials); diff != "" {
				t.Errorf("trials, -want +got:\n%s", diff)
			}
			if diff := cmp.Diff(row.observers, got.Observers); diff != "" {
				t.Errorf("watchers, -want +got:\n%s", diff)
			}
		})
	}
}

func TestFilesThatChangedLastComeFirst(t *testing.T) {
	repository := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		args = append([]string{"git", "-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"}, args...)
		if _, err := command.Run(t.Context(), command.Cmd{Args: args, Dir: repository}); err != nil {
			t.Fatal(err)
		}
	}
	write := func(file string) {
		t.Helper()
		file = filepath.Join(repository, file)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(t.Name()+file), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git("init", "--quiet")
	for _, file := range []string{"checkout/before.go", "checkout/the first.go", "checkout/a/second.go", "elsewhere.go"} {
		write(file)
		git("add", ".")
		git("commit", "--quiet", "--message", file)
	}
	write("checkout/unknown.go")
	write("checkout/known.go")
	git("add", "checkout/known.go")

	dir := filepath.Join(repository, "checkout")
	got, err := changedFiles(t.Context(), dir, "HEAD~3")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"unknown.go", "known.go", "a/second.go", "the first.go"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	_, err = changedFiles(t.Context(), dir, "no-such-commit")
	if err == nil || !errors.As(err, new(clusters.UsageError)) || !strings.Contains(err.Error(), "no-such-commit") {
		t.Errorf("a commit that there is not: %v", err)
	}
}
