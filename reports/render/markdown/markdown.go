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

package markdown

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
)

// Render returns the content of report.md.
func Render(r schema.Report) []byte {
	var b strings.Builder
	s := r.Summary
	fmt.Fprintf(&b, "# DRA on Kubernetes %s: %s\n\n", r.Cluster.Kubernetes, verdict(r))
	fmt.Fprintf(&b, "%d cases: %s, in %s (median %s, slowest %s).\n",
		s.Total, s, duration(r.DurationSeconds), duration(s.MedianSeconds), duration(s.MaxSeconds))
	if s.Retried > 0 {
		fmt.Fprintf(&b, "%d of those that passed failed first.\n", s.Retried)
	}
	if r.Profile != nil {
		fmt.Fprintf(&b, "Profile %s requires %d cases.\n", r.Profile, r.Profile.Required)
	}
	if selected := r.Selected(); selected != "" {
		fmt.Fprintf(&b, "A %s.\n", selected)
	}
	section(&b, "Why it has not passed", reasons(r), func(reason string) { fmt.Fprintf(&b, "- %s\n", reason) })
	section(&b, "Problems", r.Problems, func(p string) { fmt.Fprintf(&b, "- %s\n", p) })
	findings(&b, r.Findings)
	section(&b, "Unexpectedly passed", which(r.Cases, schema.Case.PassedUnexpectedly), func(c schema.Case) {
		fmt.Fprintf(&b, "- `%s`: remove its expectation: %s\n", c.ID, cell(c.Expected.String()))
	})
	section(&b, "Failed", results(r.Cases, schema.CaseFailed), func(c schema.Case) { details(&b, c) })
	section(&b, "Expected failures", results(r.Cases, schema.CaseExpectedFailure), func(c schema.Case) { details(&b, c) })
	section(&b, "Warnings: failed, and should not", results(r.Cases, schema.CaseWarning), func(c schema.Case) { details(&b, c) })
	section(&b, "Blocked", with(r.Cases, spec.Blocked), func(c schema.Case) { details(&b, c) })
	issue := func(c schema.Case) {
		fmt.Fprintf(&b, "- `%s`%s: %s", c.ID, basis(c), c.Reason)
		if c.Evidence != "" {
			fmt.Fprintf(&b, " (evidence: %s)", c.Evidence)
		}
		b.WriteString("\n")
	}
	section(&b, "Known issues to be reviewed for this version", results(r.Cases, schema.CaseUnreviewed), issue)
	section(&b, "Known issues of Kubernetes", with(r.Cases, spec.Known), issue)
	section(&b, "Closed here", closed(r.Cases), func(c schema.Case) { fmt.Fprintf(&b, "- %s\n", c.Closed()) })
	section(&b, "Not applicable", with(r.Cases, spec.NotApplicable), func(c schema.Case) {
		fmt.Fprintf(&b, "- `%s`: %s\n", c.ID, c.Reason)
	})
	section(&b, "Cases of the vendor, not counted", r.VendorCases, func(c schema.VendorCase) {
		fmt.Fprintf(&b, "- `%s`: %s: %s\n", c.Name, cell(c.Line()), cell(c.Promise))
	})
	if passed := with(r.Cases, spec.Passed); len(passed) > 0 {
		b.WriteString("\n## Passed\n\n| case | checks | time |\n|---|---|---|\n")
		for _, c := range passed {
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", c.ID, cell(c.Checks), duration(c.DurationSeconds))
		}
	}
	requirements(&b, r.Cases)
	tested(&b, r)
	return []byte(b.String())
}

func verdict(r schema.Report) string {
	result, _ := r.Outcome()
	switch r.Summary.Verdict {
	case schema.NothingPassed:
		return string(result) + ", nothing passed"
	case schema.NothingRan:
		return string(result) + ", nothing ran"
	default:
		return string(result)
	}
}

// reasons returns the reasons for a verdict other than passed, without problems: those have a section
// of their own.
func reasons(r schema.Report) []string {
	_, all := r.Outcome()
	return slices.DeleteFunc(slices.Clone(all), func(reason string) bool { return slices.Contains(r.Problems, reason) })
}

func with(cases []schema.Case, status spec.Status) []schema.Case {
	return which(cases, func(c schema.Case) bool { return c.Status == status })
}

func results(cases []schema.Case, result schema.CaseResult) []schema.Case {
	return which(cases, func(c schema.Case) bool { return c.Result() == result })
}

func which(cases []schema.Case, are func(schema.Case) bool) []schema.Case {
	return slices.DeleteFunc(slices.Clone(cases), func(c schema.Case) bool { return !are(c) })
}

// basis describes the evidence for an upstream Kubernetes component.
func basis(c schema.Case) string {
	if c.Basis == "" {
		return ""
	}
	return fmt.Sprintf(" (%s %s)", c.KnownIssue.Component, c.Basis)
}

// closed returns the cases whose known issue was not observed.
func closed(cases []schema.Case) []schema.Case {
	return which(cases, func(c schema.Case) bool { return c.ClosedHere != "" })
}

func section[T any](b *strings.Builder, title string, items []T, write func(T)) {
	if len(items) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## %s\n\n", title)
	for _, item := range items {
		write(item)
	}
}

func findings(b *strings.Builder, all []spec.Finding) {
	if len(all) == 0 {
		return
	}
	b.WriteString("\n## Found by monitors\n\n| time | severity | rule | finding | during |\n|---|---|---|---|---|\n")
	for _, f := range all {
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n",
			f.Time.UTC().Format(time.TimeOnly), f.Severity, f.Rule, cell(f.Text), cell(strings.Join(f.Cases, ", ")))
	}
}

func details(b *strings.Builder, c schema.Case) {
	fmt.Fprintf(b, "### `%s`\n\n%s\n\n", c.ID, c.Checks)
	for _, r := range c.Requirements {
		fmt.Fprintf(b, "- %s `%s`: %s\n", r.Level, r.ID, cell(r.Text))
	}
	expected := ""
	if c.Expected != nil {
		expected = c.Expected.String()
	}
	for _, line := range []struct{ name, text string }{
		{"Expected", expected}, {"Reason", c.Reason}, {"Last step", c.LastStep}, {"At", c.Location}, {"Evidence", c.Evidence},
	} {
		if line.text != "" {
			fmt.Fprintf(b, "- %s: %s\n", line.name, cell(line.text))
		}
	}
	if c.Failure != "" {
		fmt.Fprintf(b, "\n```\n%s\n```\n", strings.ReplaceAll(strings.TrimSpace(c.Failure), "```", "'''"))
	}
	b.WriteString("\n")
}

func tested(b *strings.Builder, r schema.Report) {
	b.WriteString("\n## What was tested\n\n| | |\n|---|---|\n")
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(b, "| %s | %s |\n", name, cell(value))
		}
	}
	row("Kubernetes", r.Cluster.Kubernetes)
	row("resource.k8s.io", strings.Join(r.Cluster.ResourceAPIs, ", "))
	for _, name := range slices.Sorted(maps.Keys(r.Cluster.Components)) {
		row(name, r.Cluster.Components[name])
	}
	var stack []string
	for _, name := range slices.Sorted(maps.Keys(r.Cluster.Stack)) {
		stack = append(stack, name+"="+r.Cluster.Stack[name])
	}
	row("stack", strings.Join(stack, ", "))
	for _, c := range r.Cluster.Running {
		row(strings.TrimSpace("whose "+c.Program+" "+c.Node), whose(c))
	}
	for _, n := range r.Cluster.Nodes {
		use := ""
		if !n.Schedulable {
			use = ", runs no cases"
		}
		row("node "+n.Name, fmt.Sprintf("kubelet %s, %s, %s/%s%s", n.Kubelet, n.Runtime, n.OS, n.Arch, use))
	}
	var on, off []string
	for _, g := range slices.Sorted(maps.Keys(r.Cluster.Gates)) {
		if r.Cluster.Gates[g] {
			on = append(on, string(g))
		} else {
			off = append(off, string(g))
		}
	}
	row("gates on", strings.Join(on, ", "))
	row("gates off", strings.Join(off, ", "))
	row("gates", r.Cluster.GatesUnseen)
	row("driver", strings.TrimSpace(r.Driver.Name+" "+r.Driver.Image))
	row("dratest", strings.TrimSpace(r.Suite.Version+" "+r.Suite.Commit))
	if m := r.Monitoring; m != nil {
		row("monitors", fmt.Sprintf("%d requests; the run took %.0f s of CPU time", m.Requests, m.CPUSeconds))
		row("not monitored", strings.Join(m.Unwatched, "; "))
	}
	row("profile", r.Selection.Profile)
	row("parallel", fmt.Sprint(r.Selection.Parallel))
	if scale := r.Selection.TimeoutScale; scale > 0 {
		row("time limits of cases", fmt.Sprintf("multiplied by %g", scale))
	}
	row("seed", fmt.Sprint(r.Seed))
	row("started", r.Started.UTC().Format(time.RFC3339))
}

// whose describes the provenance of a component.
func whose(c spec.Component) string {
	text := strings.Join(slices.DeleteFunc([]string{string(c.Whose), string(c.Basis)}, func(s string) bool { return s == "" }), ", ")
	for _, more := range []string{c.Version, c.Image, c.Digest} {
		if more != "" {
			text += ", " + more
		}
	}
	if c.Why != "" {
		text += ": " + c.Why
	}
	return text
}

func duration(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	if d >= time.Minute {
		return d.Round(time.Second).String()
	}
	return fmt.Sprintf("%.1fs", d.Seconds())
}

// cell escapes a text for a table cell.
func cell(s string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(s), " "), "|", `\|`)
}
