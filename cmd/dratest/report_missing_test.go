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

	"github.com/dra-conformance/dratest/framework/perf"
	"github.com/dra-conformance/dratest/framework/prove"
	"github.com/dra-conformance/dratest/framework/soak"
	"github.com/dra-conformance/dratest/reports"
)

func TestReportCommandsWithoutReport(t *testing.T) {
	t.Chdir(t.TempDir())
	if out, code := execute(t, "report", "keygen", "mine"); code != 0 {
		t.Fatal(out)
	}
	for dir, file := range map[string]string{"empty": "notes.txt", "soak": soak.SummaryFile, "perf": perf.RecordFile, "prove": prove.RecordFile, "killed": reports.JournalFile} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, file), []byte("{}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]string{
		"nowhere":         "nowhere does not exist: name the report directory",
		"empty":           "empty has no ",
		"empty/notes.txt": "empty/notes.txt is a file: name the report directory",
		"soak":            `has a result of "dratest soak" (soak.json): such results are not sealed`,
		"perf":            `has a result of "dratest perf" (perf.json): such results are not sealed`,
		"prove":           `has a result of "dratest prove" (prove.json): such results are not sealed`,
		"killed":          "dratest run --resume",
	}
	for dir, text := range want {
		for _, args := range [][]string{
			{dir}, {"verify", dir}, {"sign", dir, "--sign-key", "mine.pem"}, {"badge", dir}, {"export", dir}, {"diff", dir, dir}, {"matrix", dir}, {"history", dir},
		} {
			out, code := execute(t, append([]string{"report"}, args...)...)
			if code != codeUsage || !strings.Contains(out, text) || strings.Contains(out, "no such file") {
				t.Errorf("report %s: exit code %d, %q is not in:\n%s", strings.Join(args, " "), code, text, out)
			}
		}
	}
}
