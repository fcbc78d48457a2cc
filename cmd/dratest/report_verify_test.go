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

	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/profile"
	"github.com/dra-conformance/dratest/reports/schema"
	"github.com/dra-conformance/dratest/reports/sign"
	"github.com/dra-conformance/dratest/suites/requirements"
)

// nothingCouldRun writes the report of a full run on a cluster without nodes.
func nothingCouldRun(t *testing.T, dir string) {
	t.Helper()
	texts, err := requirements.Load()
	if err != nil {
		t.Fatal(err)
	}
	var plan spec.Plan
	for _, m := range run.Metas(parts().Cases) {
		plan.Entries = append(plan.Entries, spec.Entry{Meta: m, Skip: &spec.Skip{Code: spec.SkipNodes, Text: "no nodes"}})
	}
	required := rules()[schema.EngineRun].Required
	r := reports.Judge(reports.Build(plan, nil, reports.Info{Suite: reports.SuiteVersion(), Requirements: texts}), profile.Run(spec.ClusterTarget, schema.Selection{}, schema.EngineRun, required), required)
	if err := reports.Write(dir, r); err != nil {
		t.Fatal(err)
	}
	if _, err := reports.Seal(dir, r, nil, reports.Facts{Required: required}); err != nil {
		t.Fatal(err)
	}
}

func TestVerifyCommand(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"mine", "other"} {
		if out, code := execute(t, "report", "keygen", name); code != 0 || !strings.Contains(out, name+".pub.pem verifies") {
			t.Fatalf("exit code %d: %s", code, out)
		}
	}
	if info, err := os.Stat("mine.pem"); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	nothingCouldRun(t, "plain")
	nothingCouldRun(t, "signed")
	key, err := readKey("", "mine.pem", sign.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	if err := sign.Directory(t.Context(), "signed", *key); err != nil {
		t.Fatal(err)
	}
	nothingCouldRun(t, "edited")
	if err := os.Remove(filepath.Join("edited", reports.JUnitFile)); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"repeated/run-1", "repeated/run-2", "edited-run/run-1", "edited-run/run-2"} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		nothingCouldRun(t, dir)
	}
	if err := os.Remove(filepath.Join("edited-run/run-2", reports.HTMLFile)); err != nil {
		t.Fatal(err)
	}
	nothingCouldRun(t, "newer")
	newer := strings.Replace(readFile(t, filepath.Join("newer", reports.ConformanceFile)), schema.ConformanceVersion, "dra-conformance.github.io/v9", 1)
	if err := os.WriteFile(filepath.Join("newer", reports.ConformanceFile), []byte(newer), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		args []string
		code int
		want string
	}{
		"holds":               {[]string{"plain"}, 0, "The report holds. Its result is failed for profile cluster"},
		"is not signed":       {[]string{"plain"}, 0, "It is not signed"},
		"must be signed":      {[]string{"plain", "--key", "mine.pub.pem"}, 1, "the report is not signed"},
		"signed":              {[]string{"signed", "--key", "mine.pub.pem"}, 0, "It is signed with key"},
		"signed, not checked": {[]string{"signed"}, 0, "--key checks it"},
		"other key":           {[]string{"signed", "--key", "other.pub.pem"}, 1, "it is not signed by the key"},
		"private key":         {[]string{"signed", "--key", "mine.pem"}, codeUsage, "it is a private key"},
		"no such key":         {[]string{"signed", "--key", "nowhere.pem"}, codeUsage, "nowhere.pem"},
		"does not hold":       {[]string{"edited"}, 1, "junit_01.xml is missing"},
		"newer schema":        {[]string{"newer"}, codeUsage, "use the dratest that wrote the report"},
		"each run":            {[]string{"repeated"}, 0, "== run-2\nThe report holds."},
		"one run of two":      {[]string{"edited-run"}, 1, "report.html is missing"},
		"no directory":        {[]string{"nowhere"}, codeUsage, "nowhere does not exist"},
	} {
		t.Run(name, func(t *testing.T) {
			out, code := execute(t, append([]string{"report", "verify"}, tc.args...)...)
			if code != tc.code || !strings.Contains(out, tc.want) {
				t.Errorf("exit code %d, want %d; %q is not in:\n%s", code, tc.code, tc.want, out)
			}
		})
	}
	if out, code := execute(t, "report", "keygen", "mine"); code != codeUsage || !strings.Contains(out, "is there already") {
		t.Errorf("exit code %d: %s", code, out)
	}
	if out, code := execute(t, "run", "--sign-key", "mine.pub.pem"); code != codeUsage || !strings.Contains(out, "it is a public key") {
		t.Errorf("exit code %d: %s", code, out)
	}
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// An unsealed format, or one left by a later run, would be unverified.
func TestEachFormatIsSealedVerifiedAndRemoved(t *testing.T) {
	for _, f := range reports.Formats() {
		dir := t.TempDir()
		nothingCouldRun(t, dir)
		content := readFile(t, filepath.Join(dir, f.File))
		if out, _ := execute(t, "report", dir, "-o", f.Name); content == "" || !strings.Contains(out, content) {
			t.Errorf("-o %s prints something other than %s", f.Name, f.File)
		}
		if sealed := readFile(t, filepath.Join(dir, reports.ConformanceFile)); !strings.Contains(sealed, "path: "+f.File+"\n") {
			t.Errorf("the conformance report has no digest of %s", f.File)
		}
		if err := os.WriteFile(filepath.Join(dir, f.File), []byte(content+" "), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, code := execute(t, "report", "verify", dir); code != 1 || !strings.Contains(out, f.File+" was changed") {
			t.Errorf("%s was changed: exit code %d\n%s", f.File, code, out)
		}
		if err := run.Clean(dir); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(dir, f.File)); !os.IsNotExist(err) {
			t.Errorf("%s is left behind (%v)", f.File, err)
		}
	}
}
