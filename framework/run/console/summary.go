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

package console

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/schema"
)

// Summary prints the result of a run; dir is its report directory as given by the user.
func Summary(out io.Writer, r schema.Report, dir string) {
	var b strings.Builder
	cases(&b, r)
	if _, reasons := r.Outcome(); r.Result != "" {
		for _, reason := range reasons {
			if !slices.Contains(r.Problems, reason) {
				fmt.Fprintf(&b, "reason: %s\n", oneLine(reason))
			}
		}
	}
	fmt.Fprintf(&b, "report: %s\nverdict: %s\n", filepath.Join(dir, reports.MarkdownFile), verdict(r))
	_, _ = io.WriteString(out, spec.Printable(b.String()))
}

// Cases prints the result of the cases of a certification. The verdict is the certificate's.
func Cases(out io.Writer, r schema.Report, dir string) {
	var b strings.Builder
	cases(&b, r)
	fmt.Fprintf(&b, "report: %s\n", filepath.Join(dir, reports.MarkdownFile))
	_, _ = io.WriteString(out, spec.Printable(b.String()))
}

func cases(b *strings.Builder, r schema.Report) {
	s := r.Summary
	fmt.Fprintf(b, "\n%s (median %.1fs, whole run %.1fs)\n", s, s.MedianSeconds, r.DurationSeconds)
	var slowest []string
	for _, c := range reports.Slowest(r, 3) {
		slowest = append(slowest, fmt.Sprintf("%s %.1fs", c.ID, c.DurationSeconds))
	}
	if len(slowest) > 0 {
		fmt.Fprintf(b, "slowest: %s\n", strings.Join(slowest, ", "))
	}
	for _, c := range r.Cases {
		switch c.Result() {
		case schema.CaseKnownIssue:
			fmt.Fprintf(b, "known issue: %s: %s\n", c.ID, oneLine(c.Reason))
		case schema.CaseUnreviewed:
			fmt.Fprintf(b, "unreviewed known issue: %s: %s\n", c.ID, oneLine(c.Reason))
		}
	}
	for _, c := range r.Cases {
		if c.Warning() {
			fmt.Fprintf(b, "warning: %s: failed, which should not be, and may\n", c.ID)
		}
		if c.ClosedHere != "" {
			fmt.Fprintln(b, c.Closed())
		}
	}
	for _, f := range r.Findings {
		fmt.Fprintln(b, oneLine(f.String()))
	}
	for _, c := range r.Cases {
		switch {
		case c.FailedAsExpected():
			fmt.Fprintf(b, "expected failure: %s: %s\n", c.ID, oneLine(c.Expected.String()))
		case c.PassedUnexpectedly():
			fmt.Fprintf(b, "unexpectedly passed: %s: remove its expectation: %s\n", c.ID, oneLine(c.Expected.String()))
		}
	}
	for _, p := range r.Problems {
		fmt.Fprintf(b, "problem: %s\n", oneLine(p))
	}
	if r.Profile != nil {
		fmt.Fprintf(b, "profile: %s, which requires %d cases\n", r.Profile, r.Profile.Required)
	}
	if selected := r.Selected(); selected != "" {
		fmt.Fprintf(b, "a %s\n", selected)
	}
}

// verdict is the result of a run, with more words if it is not passed.
func verdict(r schema.Report) string {
	result, reasons := r.Outcome()
	switch {
	case result == schema.ResultPassed:
		return "passed"
	case r.Summary.Violations > 0:
		return fmt.Sprintf("failed: %d of %d cases, and monitors found %d violation(s)", r.Summary.Failed, r.Summary.Total, r.Summary.Violations)
	case r.Summary.Verdict == schema.Failed:
		return fmt.Sprintf("failed: %d of %d cases", r.Summary.Failed, r.Summary.Total)
	case len(reasons) > 0:
		return fmt.Sprintf("%s: %s", result, oneLine(reasons[0]))
	default:
		return "incomplete: no case failed, but not all have a verdict at the first attempt"
	}
}

// Plan prints each case of a plan, with the reason if skipped.
func Plan(out io.Writer, p spec.Plan) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, e := range p.Entries {
		what := "run "
		note := strings.Join(e.Meta.Labels(), ",")
		if e.Skip != nil {
			what, note = "skip", string(e.Skip.Code)+": "+e.Skip.Text
		}
		_, _ = fmt.Fprintf(w, "%s %s\t%s\n", what, e.Meta.ID, note)
	}
	_ = w.Flush()
	_, _ = fmt.Fprintf(out, "%d of %d cases would run on Kubernetes %s at %s\n",
		p.Runs(), len(p.Entries), p.Target.Kubernetes, p.Target.Server)
}

// Skips prints a line for each skipped case of a plan.
func Skips(out io.Writer, p spec.Plan) {
	for _, e := range p.Entries {
		if e.Skip != nil {
			_, _ = fmt.Fprintf(out, "skip %-*s %s\n", width, e.Meta.ID, e.Skip.Text)
		}
	}
}
