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

package run

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
)

// Two claims with one device between two steps failed no case, and the upgrade passed.
func TestViolationFailsTheUpgrade(t *testing.T) {
	w := newWorld(t)
	w.finding = &spec.Finding{Time: time.Now(), Severity: spec.Violation, Rule: "double-allocated", Text: "device gpu-0 has two claims"}
	r, err := w.run(false)
	if err != nil || r.Verdict != schema.Failed || len(r.Findings) != 1 {
		t.Fatalf("%s with findings %v: %v", r.Verdict, r.Findings, err)
	}
	for _, name := range []string{TableFile, "report.md", "junit_01.xml", RecordFile} {
		content, err := os.ReadFile(filepath.Join(w.options.ReportDir, name))
		if err != nil || !strings.Contains(string(content), w.finding.Text) {
			t.Errorf("%s lacks the finding: %v", name, err)
		}
	}
	var out strings.Builder
	Print(&out, r, w.options.ReportDir)
	if !strings.Contains(out.String(), "violation double-allocated: device gpu-0 has two claims\n") {
		t.Error(out.String())
	}
}

func TestMonitorsKnowTheSteps(t *testing.T) {
	w := newWorld(t)
	w.cluster.fail[2] = errors.New("the kubelet does not start")
	if _, err := w.run(false); !errors.Is(err, errStep) {
		t.Fatal(err)
	}
	var got []string
	for _, p := range w.progress {
		end := " begins"
		if p.Outcome != nil {
			end = " ends"
		}
		got = append(got, p.ID+end)
	}
	if want := []string{"step 1 begins", "step 1 ends", "step 2 begins"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
