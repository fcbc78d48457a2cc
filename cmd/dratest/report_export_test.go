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
	"slices"
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/render/cncf"
	"github.com/dra-conformance/dratest/reports/schema"
)

func TestExportCommand(t *testing.T) {
	t.Chdir(t.TempDir())
	nothingCouldRun(t, "run")
	out, code := execute(t, "report", "export", "run", "--to", "out")
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, out)
	}
	folder, _, _ := strings.Cut(out, " ")
	for _, name := range []string{cncf.JUnitFile, cncf.ResultsFile, cncf.LogFile, cncf.ReadmeFile, cncf.ProductFile} {
		if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
			t.Error(err)
		}
	}
	if copies, _ := filepath.Glob(filepath.Join(folder, "*-report.yaml")); len(copies) != 1 || readFile(t, copies[0]) != readFile(t, filepath.Join("run", reports.ConformanceFile)) {
		t.Errorf("copies of the conformance report: %v", copies)
	}
	nothingCouldRun(t, "edited")
	if err := os.Remove(filepath.Join("edited", reports.JUnitFile)); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		args []string
		code int
		want string
	}{
		"directory is there": {[]string{"run", "--to", "out"}, codeUsage, "is there already"},
		"does not hold":      {[]string{"edited", "--to", "other"}, 1, "junit_01.xml is missing"},
		"no report":          {[]string{"nowhere"}, codeUsage, "nowhere does not exist"},
		"unknown format":     {[]string{"run", "--format", "x"}, codeUsage, "use cncf"},
	} {
		if out, code := execute(t, append([]string{"report", "export"}, tc.args...)...); code != tc.code || !strings.Contains(out, tc.want) {
			t.Errorf("%s: exit code %d, want %d; %q is not in:\n%s", name, code, tc.code, tc.want, out)
		}
	}
}

func TestIsolationIsAboutCasesThatThereAre(t *testing.T) {
	required := rules()[schema.EngineRun].Required
	for _, id := range cncf.Isolation() {
		if !slices.ContainsFunc(required, func(c schema.RequiredCase) bool { return c.ID == id }) {
			t.Errorf("there is no case %s", id)
		}
	}
}
