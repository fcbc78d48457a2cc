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

package html

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
)

var start = time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)

// reportOf returns a report with n cases of all outcomes. Its timelines compress no better than real
// ones.
func reportOf(n, entries int) (schema.Report, map[string]Attachment) {
	r := schema.Report{Summary: schema.Summary{Verdict: schema.Failed, Total: n}, Started: start, Cluster: schema.Cluster{Kubernetes: "v1.37.1"}}
	attached := map[string]Attachment{}
	random := rand.New(rand.NewPCG(1, 2))
	statuses := []spec.Status{spec.Passed, spec.Failed, spec.Known, spec.Blocked, spec.NotApplicable, spec.Passed}
	for i := range n {
		c := schema.Case{
			ID: fmt.Sprintf("area%d/case-%d", i%9, i), Checks: "The driver is asked once more when it has failed, and the pod runs.", Status: statuses[i%len(statuses)],
			Requirements: []spec.Requirement{{ID: "kep-4381/x", Level: spec.Must, Section: "KEP-4381, Kubelet", Text: strings.Repeat("It prepares the claim. ", 10)}},
			Started:      start, DurationSeconds: 3, Timeline: fmt.Sprintf("cases/area%d.case-%d/timeline.json", i%9, i),
		}
		r.Cases = append(r.Cases, c)
		t := &spec.Timeline{ID: c.ID, Started: start, Ended: start.Add(3 * time.Second)}
		for range entries {
			t.Entries = append(t.Entries, spec.TimelineEntry{
				Time: start.Add(time.Duration(random.Int64N(3e9))), Source: spec.FromKubelet, Object: "worker",
				Text: fmt.Sprintf(`"Status for pod updated successfully" pod="dratest-%x/pod" podUID="%x"`, random.Uint32(), random.Uint64()),
			})
		}
		attached[c.ID] = Attachment{Timeline: t, Evidence: []File{{Path: "cases/area.case/steps.txt", Bytes: 12}}}
	}
	return r, attached
}

// TestSize tests the limit of 5 MB with far more data than a full run.
func TestSize(t *testing.T) {
	r, attached := reportOf(1000, 100)
	page, err := Render(r, attached)
	if err != nil {
		t.Fatal(err)
	}
	if len(page) > 5_000_000 {
		t.Errorf("%d bytes", len(page))
	}
	if !strings.Contains(string(page), "It is left out here, so that this file stays small; it is in cases/") {
		t.Error("all timelines have found room, which this test did not expect")
	}
}

func TestExpectations(t *testing.T) {
	r, attached := reportOf(3, 1)
	r.Cases[0].Expected = &schema.Expectation{Reason: "was <broken>", Issue: "example#1", Until: "2027-03-31"}
	r.Cases[1].Expected, r.Cases[1].Failure = &schema.Expectation{Reason: "is broken", Issue: "example#2", Until: "2027-03-31"}, "expected 2"
	data, err := Render(r, attached)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`>area0/case-0</a>: remove its expectation: was &lt;broken&gt; (example#1, until 2027-03-31)</li>`,
		`data-status="expected" aria-pressed="false"><span class="glyph" aria-hidden="true"></span>Expected failure <b>1</b>`,
		`<section class="panel expected"><h2>Failed as expected</h2>`, `<section class="panel expected"><h2>Expected to fail</h2><p>is broken</p>`,
	} {
		if !strings.Contains(string(data), want) {
			t.Errorf("not in the page: %s", want)
		}
	}
}

func TestTimelinesOfWhatDidNotPassComeFirst(t *testing.T) {
	r, attached := reportOf(1000, 100)
	packed, err := pack(r.Cases, attached)
	if err != nil {
		t.Fatal(err)
	}
	left := map[spec.Status]int{}
	for _, c := range r.Cases {
		if packed[c.ID] == "" {
			left[c.Status]++
		}
	}
	if left[spec.Passed] == 0 || len(left) != 1 {
		t.Errorf("left out: %v", left)
	}
}

func TestPackedTimeline(t *testing.T) {
	text, err := packOne(spec.Timeline{Started: start, Ended: start.Add(2 * time.Second), Missing: []string{"events: refused"}, Entries: []spec.TimelineEntry{
		{Time: start.Add(1500 * time.Microsecond), Source: spec.FromDriver, Took: time.Second, Open: true, Object: "worker", Text: "call", Severity: spec.SeverityError},
	}})
	if err != nil {
		t.Fatal(err)
	}
	zipped, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	unzip, err := gzip.NewReader(bytes.NewReader(zipped))
	if err != nil {
		t.Fatal(err)
	}
	var got any
	if err := json.NewDecoder(unzip).Decode(&got); err != nil {
		t.Fatal(err)
	}
	if want := "entries:[[1.5 1000 1 driver worker call  error]] length:2000 missing:[events: refused]"; !strings.Contains(fmt.Sprint(got), want) {
		t.Errorf("got %v, want %s", got, want)
	}
}

// TestTextsAreEscaped tries to inject markup with every text of a case.
func TestTextsAreEscaped(t *testing.T) {
	const evil = `"><script>alert(1)</script>`
	r := schema.Report{Problems: []string{evil}, Cases: []schema.Case{{
		ID: "core/" + evil, Checks: evil, Status: spec.Failed, Failure: evil, LastStep: evil, Location: evil, Reason: evil,
		Requirements: []spec.Requirement{{ID: evil, Text: evil, Section: evil}}, KnownIssue: &spec.KnownIssue{Issue: evil, Does: evil},
	}}, VendorCases: []schema.VendorCase{{Name: evil, Promise: evil, Reason: evil, Output: evil + "the vendor's output"}}}
	page, err := Render(r, map[string]Attachment{"core/" + evil: {Evidence: []File{{Path: evil}, {Path: "javascript:alert(1)"}}}})
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(page), "<script>"); n != 1 {
		t.Errorf("the page has %d scripts", n)
	}
	if !strings.Contains(string(page), "the vendor&#39;s output") {
		t.Error("the page lacks the vendor's case")
	}
	if strings.Contains(string(page), `href="javascript:`) {
		t.Error("a link runs a script")
	}
}

func TestChartOfTheRun(t *testing.T) {
	at := func(seconds int) time.Time { return start.Add(time.Duration(seconds) * time.Second) }
	r := schema.Report{Monitoring: &spec.Monitoring{}, Cases: []schema.Case{
		{ID: "core/c", Started: at(60), DurationSeconds: 40, Status: spec.Failed}, {ID: "core/none"},
		{ID: "core/a", Started: at(0), DurationSeconds: 50, Status: spec.Passed}, {ID: "core/b", Started: at(10), DurationSeconds: 60, Status: spec.Passed},
	}, Findings: []spec.Finding{{Time: at(75), Rule: "double-allocated", Severity: spec.Violation, Cases: []string{"core/c"}}}}
	c := chartOf(r)
	var bars []string
	for _, b := range c.Bars {
		bars = append(bars, fmt.Sprintf("%s %.0f+%.0f row %.0f", b.Class, b.X, b.Width, b.Y/rowHeight))
	}
	if got, want := strings.Join(bars, ", "), "passed 0+499 row 0, passed 100+599 row 1, failed 600+399 row 0"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if f := c.Findings[0]; f.X != 750 || f.Class != "failed" {
		t.Errorf("finding at %v, class %s", f.X, f.Class)
	}
	page, err := Render(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`<rect class="failed" x="600" y="0" width="399"`, `<line class="failed" x1="750"`, `During <a href="#case=core%2fc">core/c</a>`} {
		if !strings.Contains(string(page), want) {
			t.Errorf("no %s", want)
		}
	}
	if r.Monitoring = nil; chartOf(r) != nil {
		t.Error("a run without monitors has a chart of them")
	}
}

// TestNothingElseIsNeeded looks for URLs fetched by a browser.
func TestNothingElseIsNeeded(t *testing.T) {
	r, attached := reportOf(3, 3)
	page, err := Render(r, attached)
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range regexp.MustCompile(`(?:src|href)="(?:https?:|//)[^"]*"|url\([^)]*\)|@import`).FindAllString(string(page), -1) {
		t.Errorf("the page needs %s", found)
	}
}

func TestWhyThereIsNoTimeline(t *testing.T) {
	tests := []struct {
		name string
		c    schema.Case
		a    Attachment
		want string
	}{
		{"no room", schema.Case{Timeline: "cases/x/timeline.json"}, Attachment{Timeline: &spec.Timeline{}}, "it is in cases/x/timeline.json"},
		{"unreadable", schema.Case{Timeline: "cases/x/timeline.json"}, Attachment{}, "could not be read"},
		{"not run", schema.Case{}, Attachment{}, "did not run"},
		{"not kept", schema.Case{Started: start}, Attachment{}, "--timelines"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := whyNone(test.c, test.a); !strings.Contains(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// Without JavaScript, as when published by Jenkins, the page had no failures or reasons and broken
// links.
func TestWithoutScriptAndStyle(t *testing.T) {
	r, attached := reportOf(12, 3)
	r.Cases[1].Failure, r.Cases[1].Evidence = "the pod is not running", "cases/area1.case-1"
	page, err := Render(r, attached)
	if err != nil {
		t.Fatal(err)
	}
	for _, tag := range regexp.MustCompile(`<[a-z]+ (?:[^>]* )?hidden[ >][^>]*>?`).FindAllString(string(page), -1) {
		if !regexp.MustCompile(`^<(form|button|p class="none|nav)`).MatchString(tag) {
			t.Errorf("only a script shows %s", tag)
		}
	}
	for _, c := range r.Cases {
		if !strings.Contains(string(page), `href="#case=`+strings.Replace(c.ID, "/", "%2f", 1)+`"`) || !strings.Contains(string(page), `id="case=`+c.ID+`"`) {
			t.Errorf("no link leads to %s", c.ID)
		}
	}
	if strings.Contains(string(page), "<noscript") {
		t.Error("where a policy forbids scripts, browsers do not show what is in noscript")
	}
}
