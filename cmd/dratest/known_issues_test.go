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
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dra-conformance/dratest/framework/issues"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
)

// rowsWithoutReviews are those of all known issues, each through 1.37.
func rowsWithoutReviews() []spec.KnownIssue {
	all := issues.All()
	for i := range all {
		all[i].Through, all[i].Reviews = "1.37", nil
	}
	return all
}

// pastRun is a run on a version without reviews that saw one issue and did not see another one.
func pastRun() schema.Report {
	return schema.Report{
		Cluster: schema.Cluster{Kubernetes: unreviewed, Running: []spec.Component{{Name: spec.Scheduler, Program: "kube-scheduler", Version: unreviewed, Whose: spec.Stock, Basis: spec.Proven}}},
		Cases:   []schema.Case{{ID: "api/name-slashes", Status: spec.Unreviewed}, {ID: "allocation/version-builds", Status: spec.Passed}},
	}
}

func TestReviewIsRecorded(t *testing.T) {
	file := filepath.Join(t.TempDir(), "issues.yaml")
	data, err := issues.Render(rowsWithoutReviews())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 12, 10, 0, 0, 0, 0, time.UTC)
	var out bytes.Buffer
	f := reviewFlags{}
	if err := f.judge(&out, rowsWithoutReviews(), pastRun(), now); exitCode(err) != codeIncomplete || !strings.HasPrefix(err.Error(), "known issues: 2 to be recorded (--record)") {
		t.Errorf("without a file: %v", err)
	}
	f.record = file
	for _, recorded := range []string{"2 reviews recorded", ""} {
		rows, err := readIssues(file)
		if err != nil {
			t.Fatal(err)
		}
		out.Reset()
		// All others were not tried.
		if err := f.judge(&out, rows, pastRun(), now); exitCode(err) != codeIncomplete || !strings.HasSuffix(err.Error(), " not reviewed") {
			t.Error(err)
		}
		if !strings.Contains(out.String(), recorded) || recorded == "" && strings.Contains(out.String(), "recorded in") {
			t.Errorf("got %s", out.String())
		}
	}
	rows, err := readIssues(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range rows {
		not, unreviewed, err := k.Standing("v1.99.1")
		if k.ID == "kubernetes#141869" && not+unreviewed != "" || k.ID == "version-builds" && not != "the issue was last seen in 1.37" || err != nil {
			t.Errorf("%s: %q, %q, %v", k.ID, not, unreviewed, err)
		}
	}
}

func TestFailedReview(t *testing.T) {
	r := pastRun()
	r.Cases[0].Status = spec.Failed
	var f reviewFlags
	if err := f.judge(new(bytes.Buffer), rowsWithoutReviews(), r, time.Now()); exitCode(err) != codeCasesFailed || !strings.HasPrefix(err.Error(), "known issues: 1 failed, 1 to be") {
		t.Error(err)
	}
}

func TestReadIssuesRefusesOtherFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "issues.yaml")
	if err := os.WriteFile(file, []byte("- id: a\n  seen: true\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := readIssues(file); err == nil || !strings.Contains(err.Error(), "line 2: field seen not found") {
		t.Error(err)
	}
	if _, err := readIssues(file + "x"); err == nil {
		t.Error("a missing file was read")
	}
}

func TestKnownIssueCases(t *testing.T) {
	got := knownIssueCases([]spec.Meta{{ID: "a/none"}, {ID: "a/one", KnownIssue: &spec.KnownIssue{}}})
	if len(got) != 1 || got[0] != "^a/one$" {
		t.Errorf("got %q", got)
	}
}
