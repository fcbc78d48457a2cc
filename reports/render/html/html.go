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
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"time"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
)

// maxTimelines is the size limit of all timelines in the file, in bytes. The rest of a report with a
// thousand cases has about 3 MB.
const maxTimelines = 2_000_000

//go:embed page.tmpl
var page string

//go:embed style.css
var style string

//go:embed page.js
var script string

// Attachment has the files of a case.
type Attachment struct {
	Timeline *spec.Timeline
	// Evidence are the files of the case's directory.
	Evidence []File
}

// File is an evidence file.
type File struct {
	// Path is relative to the report, with slashes.
	Path string
	// Bytes is the file size.
	Bytes int64
}

// Render returns the content of report.html: at most 5 MB for a thousand cases. attached is by case
// ID. Timelines of cases not passed have priority; pages of the others name the timeline file.
func Render(r schema.Report, attached map[string]Attachment) ([]byte, error) {
	v, err := viewOf(r, attached)
	if err != nil {
		return nil, err
	}
	t, err := template.New("page").Parse(page)
	if err != nil {
		return nil, fmt.Errorf("parse the page: %w", err)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, v); err != nil {
		return nil, fmt.Errorf("render report.html: %w", err)
	}
	return b.Bytes(), nil
}

// view is the template's input.
type view struct {
	Style  template.CSS
	Script template.JS
	// ScriptHash allows only this script (Content-Security-Policy).
	ScriptHash string
	Title      string
	Verdict    mark
	Sentence   string
	Started    string
	Counts     []count
	Facts      []fact
	Reasons    []string
	Problems   []string
	// Run is the chart of the whole run; nil without monitors.
	Run        *runChart
	Closed     []string
	Unexpected []schema.Case
	Areas      []string
	Levels     []string
	Cases      []caseView
	// VendorCases are listed apart.
	VendorCases []schema.VendorCase
}

// mark is a displayed outcome: a word, and a CSS class for its color and shape.
type mark struct{ Word, Class string }

type count struct {
	mark

	Number int
	// Share is in percent.
	Share float64
}

type fact struct{ Name, Value string }

type caseView struct {
	schema.Case

	Mark     mark
	Area     string
	Name     string
	Level    string
	Duration string
	Started  string
	Search   string
	Evidence []File
	// Packed is the timeline; Why is the reason for its absence.
	Packed string
	Why    string
}

// Marks of outcomes, most important first.
var marks = []mark{ //nolint:gochecknoglobals // a table
	{"Failed", "failed"}, {"Warning", "warning"}, {"Expected failure", "expected"}, {"Blocked", "blocked"}, {"Unreviewed known issue", "blocked"}, {"Known issue", "known"}, {"Passed", "passed"}, {"Not applicable", "skipped"},
}

func markOf(c schema.Case) mark {
	index := map[spec.Status]int{spec.Failed: 0, spec.Blocked: 3, spec.Unreviewed: 4, spec.Known: 5, spec.Passed: 6, spec.NotApplicable: 7}
	i, known := index[c.Status]
	switch {
	case !known:
		return mark{string(c.Status), "blocked"}
	case c.Warning():
		return marks[1]
	case c.FailedAsExpected():
		return marks[2]
	}
	return marks[i]
}

func verdict(r schema.Report) mark {
	result, _ := r.Outcome()
	switch {
	case result == schema.ResultPassed:
		return mark{"Passed", "passed"}
	case r.Summary.Verdict == schema.NothingPassed:
		return mark{"Failed: nothing passed", "failed"}
	case r.Summary.Verdict == schema.NothingRan:
		return mark{"Failed: nothing ran", "failed"}
	case result == schema.ResultFailed:
		return mark{"Failed", "failed"}
	default:
		return mark{"Incomplete", "blocked"}
	}
}

// reasons returns the reasons for a verdict other than passed, without problems: those have a section
// of their own.
func reasons(r schema.Report) []string {
	_, all := r.Outcome()
	return slices.DeleteFunc(slices.Clone(all), func(reason string) bool { return slices.Contains(r.Problems, reason) })
}

func viewOf(r schema.Report, attached map[string]Attachment) (view, error) {
	s := r.Summary
	v := view{
		Style: template.CSS(style), Script: template.JS(script), ScriptHash: hash(script),
		Title:   "DRA on Kubernetes " + r.Cluster.Kubernetes,
		Verdict: verdict(r), Reasons: reasons(r), Started: r.Started.UTC().Format("2 January 2006, 15:04 UTC"),
		Sentence: fmt.Sprintf("%d cases in %s; median %s, slowest %s", s.Total, duration(r.DurationSeconds), duration(s.MedianSeconds), duration(s.MaxSeconds)),
		Facts:    facts(r), Problems: r.Problems, Run: chartOf(r), VendorCases: r.VendorCases,
	}
	if s.Retried > 0 {
		v.Sentence += fmt.Sprintf("; %d failed first and passed when they ran again", s.Retried)
	}
	if selected := r.Selected(); selected != "" {
		v.Sentence += ". A " + selected
	}
	packed, err := pack(r.Cases, attached)
	if err != nil {
		return v, err
	}
	for _, c := range r.Cases {
		cv := caseOf(c, attached[c.ID])
		cv.Packed = packed[c.ID]
		if cv.Packed == "" {
			cv.Why = whyNone(c, attached[c.ID])
		}
		v.Cases = append(v.Cases, cv)
		if closed := c.Closed(); closed != "" {
			v.Closed = append(v.Closed, closed)
		}
		if c.PassedUnexpectedly() {
			v.Unexpected = append(v.Unexpected, c)
		}
	}
	slices.SortStableFunc(v.Cases, func(a, b caseView) int { return slices.Index(marks, a.Mark) - slices.Index(marks, b.Mark) })
	v.Counts, v.Areas, v.Levels = choices(v.Cases)
	return v, nil
}

// hash is the SHA-256 of a script for a Content-Security-Policy.
func hash(script string) string {
	sum := sha256.Sum256([]byte(script))
	return base64.StdEncoding.EncodeToString(sum[:])
}

func caseOf(c schema.Case, a Attachment) caseView {
	cv := caseView{Case: c, Mark: markOf(c), Level: level(c.Requirements), Evidence: a.Evidence}
	cv.Area, cv.Name, _ = strings.Cut(c.ID, "/")
	if !c.Started.IsZero() {
		cv.Duration, cv.Started = duration(c.DurationSeconds), c.Started.UTC().Format("15:04:05 UTC")
	}
	words := []string{c.ID, c.Checks, c.Reason, c.Failure}
	for _, r := range c.Requirements {
		words = append(words, string(r.ID))
	}
	cv.Search = strings.ToLower(strings.Join(strings.Fields(strings.Join(words, " ")), " "))
	return cv
}

// level returns the strongest level of a case's requirements.
func level(requirements []spec.Requirement) string {
	for _, l := range []spec.Level{spec.Must, spec.Should, spec.May} {
		if slices.ContainsFunc(requirements, func(r spec.Requirement) bool { return r.Level == l }) {
			return string(l)
		}
	}
	return ""
}

// choices returns the values of the table's filters.
func choices(cases []caseView) (counts []count, areas, levels []string) {
	for _, m := range marks {
		n := 0
		for _, c := range cases {
			if c.Mark == m {
				n++
			}
		}
		if n > 0 {
			counts = append(counts, count{m, n, 100 * float64(n) / float64(len(cases))})
		}
	}
	for _, c := range cases {
		areas = append(areas, c.Area)
	}
	slices.Sort(areas)
	for _, l := range []spec.Level{spec.Must, spec.Should, spec.May} {
		if slices.ContainsFunc(cases, func(c caseView) bool { return c.Level == string(l) }) {
			levels = append(levels, string(l))
		}
	}
	return counts, slices.Compact(areas), levels
}

func whyNone(c schema.Case, a Attachment) string {
	switch {
	case a.Timeline != nil:
		return "It is left out here, so that this file stays small; it is in " + c.Timeline + "."
	case c.Timeline != "":
		return "Its file " + c.Timeline + " could not be read."
	case c.Started.IsZero():
		return "The case did not run."
	default:
		return "None was kept of this case (dratest run --timelines)."
	}
}

func duration(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	if d >= time.Minute {
		d = d.Round(time.Second)
		return fmt.Sprintf("%d min %d s", d/time.Minute, d%time.Minute/time.Second)
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

// Size formats the file size.
func (f File) Size() string {
	if f.Bytes < 1000 {
		return fmt.Sprintf("%d B", f.Bytes)
	}
	if f.Bytes < 1_000_000 {
		return fmt.Sprintf("%.0f kB", float64(f.Bytes)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(f.Bytes)/1_000_000)
}

// Within returns the path relative to the case's directory.
func (f File) Within() string {
	parts := strings.SplitN(f.Path, "/", 3)
	return parts[len(parts)-1]
}
