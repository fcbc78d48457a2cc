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
	"time"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/schema"
	"github.com/dra-conformance/dratest/reports/sign"
	"github.com/dra-conformance/dratest/suites/sanity"
)

func TestSanityReportHolds(t *testing.T) {
	t.Chdir(t.TempDir())
	if out, code := execute(t, "report", "keygen", "mine"); code != 0 {
		t.Fatal(out)
	}
	key, err := readKey("", "mine.pem", sign.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	started := time.Now().Add(-time.Second)
	var outcomes []spec.Outcome
	for _, m := range sanity.Metas() {
		outcomes = append(outcomes, spec.Outcome{ID: m.ID, Status: spec.Passed, Started: started, Duration: time.Millisecond})
	}
	r := sanityReport(spec.Target{Kubernetes: "v1.37.1"}, outcomes, "gpu.example.com", started, nil)
	if err := sealSanity(t.Context(), ".", r, outcomes, schema.Implementation{Organization: "Example"}, key); err != nil {
		t.Fatal(err)
	}
	if out, code := execute(t, "report", "verify", ".", "--key", "mine.pub.pem"); code != 0 || !strings.Contains(out, "It is signed with key") {
		t.Errorf("exit code %d: %s", code, out)
	}
	journal := filepath.Join(".", reports.JournalFile)
	if err := os.WriteFile(journal, []byte(strings.Replace(readFile(t, journal), string(spec.Passed), string(spec.Failed), 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, code := execute(t, "report", "verify", "."); code != 1 || !strings.Contains(out, "outcomes.jsonl was changed") {
		t.Errorf("exit code %d: %s", code, out)
	}
}

// A driver with shared devices only had "5 passed, 44 not applicable: passed".
func TestBasicChecksMustRun(t *testing.T) {
	outcomes := []spec.Outcome{{ID: spec.BasicContract()[0], Status: spec.Passed}, {ID: "sanity/shares", Status: spec.NotApplicable, Reason: "no"}}
	if got := problems(outcomes, nil); len(got) > 0 {
		t.Errorf("an optional check did not run: %v", got)
	}
	outcomes = append(outcomes, spec.Outcome{ID: spec.BasicContract()[1], Status: spec.NotApplicable, Reason: "needs a device"})
	r := sanityReport(spec.Target{Kubernetes: "v1.37.1"}, outcomes, "gpu.example.com", time.Now(), problems(outcomes, nil))
	if r.Summary.Verdict != schema.Incomplete || !strings.Contains(strings.Join(r.Problems, ""), "did not run: needs a device") {
		t.Errorf("%s: %v", r.Summary.Verdict, r.Problems)
	}
}
