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

package run_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/schema"
)

// TestPlainSuite is a suite like suites/suites_test.go. It is not a test of its own: TestSuite starts this binary
// with it alone.
func TestPlainSuite(t *testing.T) {
	dir := os.Getenv("FAKE_PLAIN_SUITE")
	if dir == "" {
		return
	}
	run.Suite(t, parts(), run.Options{Config: testbed.Config{Kubeconfig: os.Getenv("FAKE_KUBECONFIG"), ReportDir: dir, Out: os.Stdout}})
}

func TestSuite(t *testing.T) {
	kubeconfig, _ := apiServer(t)
	dead := filepath.Join(t.TempDir(), "dead")
	for name, tc := range map[string]struct {
		kubeconfig string
		focus      string
		procs      string
		passes     bool
		want       map[string]spec.Status
		verdict    schema.Verdict
		output     string
	}{
		"go test": {kubeconfig, "fake/passes", "", true,
			map[string]spec.Status{"fake/passes": spec.Passed, "fake/passes-too": spec.Passed}, schema.Passed, "a selection of 2 cases; no profile was judged"},
		"ginkgo -procs": {kubeconfig, "fake/passes|fake/fails", "3", false,
			map[string]spec.Status{"fake/passes": spec.Passed, "fake/passes-too": spec.Passed, "fake/fails": spec.Failed}, schema.Failed, "one is not two"},
		"only skipped": {kubeconfig, "fake/skipped", "", false,
			map[string]spec.Status{"fake/skipped": spec.NotApplicable}, schema.NothingRan, "the run's verdict is NothingRan"},
		"fails after it ended": {kubeconfig, "fake/late", "", false,
			map[string]spec.Status{"fake/late": spec.Passed}, schema.Incomplete, "too late"},
		"no cluster": {dead, "fake/passes", "", false, nil, "", dead},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			args := []string{"-test.run=^TestPlainSuite$", "-ginkgo.focus=" + tc.focus, "-ginkgo.no-color"}
			if tc.procs != "" {
				args = []string{"__ginkgo", "run", "--no-color", "--procs=" + tc.procs, "--focus=" + tc.focus, self, "--", "-test.run=^TestPlainSuite$"}
			}
			cmd := exec.CommandContext(t.Context(), self, args...)
			cmd.Env = append(os.Environ(), "FAKE_PLAIN_SUITE="+dir, "FAKE_KUBECONFIG="+tc.kubeconfig)
			if tc.procs != "" { // Ginkgo ends when its standard input does
				if _, err := cmd.StdinPipe(); err != nil {
					t.Fatal(err)
				}
			}
			out, err := cmd.CombinedOutput()
			if (err == nil) != tc.passes || !strings.Contains(string(out), tc.output) {
				t.Errorf("%v, and %q is not in:\n%s", err, tc.output, out)
			}
			data, err := os.ReadFile(filepath.Join(dir, reports.JSONFile))
			if tc.want == nil {
				return
			}
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			r, err := schema.Decode(data)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tc.want, statuses(r)); d != "" || r.Summary.Verdict != tc.verdict {
				t.Errorf("verdict %s\n%s\n%s", r.Summary.Verdict, d, out)
			}
			holds(t, run.Options{Config: testbed.Config{ReportDir: dir}})
		})
	}
}
