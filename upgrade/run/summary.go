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
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/schema"
	"github.com/dra-conformance/dratest/reports/sign"
)

// TableFile is the table of cases and steps in the report directory.
const TableFile = reports.UpgradeTableFile

// finish sets the record's verdict to the report's, which considers requirement levels. A component that did not come
// back is a failure in any case.
func (r *run) finish(err error) schema.Report {
	for i := range r.record.Cases {
		if c := &r.record.Cases[i]; c.Status == "" && err == nil {
			c.Status = spec.Passed
			if len(c.knownIssues()) > 0 {
				c.Status = spec.Known
			}
			if slices.ContainsFunc(c.Pieces, func(p Piece) bool { return p.Status == spec.Unreviewed }) {
				c.Status = spec.Unreviewed
			}
		}
	}
	if err != nil {
		r.record.Problems = append(r.record.Problems, err.Error())
	}
	report := r.report(time.Now())
	if errors.Is(err, errStep) {
		report.Summary.Verdict = schema.Failed
	}
	r.record.Verdict = report.Summary.Verdict
	r.record.Seconds += time.Since(r.began).Seconds()
	return report
}

// write writes the files of a finished or paused run.
func (r *run) write(ctx context.Context, report schema.Report) error {
	dir := r.options.ReportDir
	if err := r.record.save(dir); err != nil {
		return err
	}
	if err := reports.Write(dir, report); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, TableFile), whole(r.record, report), 0o644); err != nil {
		return fmt.Errorf("write the table: %w", err)
	}
	return sign.Seal(context.WithoutCancel(ctx), dir, report, outcomes(r.record), reports.Facts{
		Engine: schema.EngineUpgrade, Implementation: r.options.Identity, Command: r.options.Command, Required: Required(r.parts),
	}, r.options.Signer)
}

// Required are the cases of an upgrade.
func Required(p Parts) []schema.RequiredCase {
	var metas []spec.Meta
	for _, c := range p.Cases {
		metas = append(metas, c.Meta)
	}
	return schema.Required(metas, p.Requirements)
}

// whole is the content of TableFile.
func whole(r Record, report schema.Report) []byte {
	return slices.Concat(table(r), promises(report.Cases))
}

// PrintPlan prints the steps, marking the first ones as done.
func PrintPlan(out io.Writer, steps []Step, done int) {
	_, _ = fmt.Fprintf(out, "%d steps:\n", len(steps))
	for i, s := range steps {
		mark := ""
		if i < done {
			mark = " (done)"
		}
		_, _ = fmt.Fprintf(out, "%4d  %s%s\n      then: %s\n", i+1, s.Step, mark, s.Skew)
	}
	_, _ = fmt.Fprintln(out)
}

// Print prints a run's results.
func Print(out io.Writer, r Record, dir string) {
	_, _ = fmt.Fprintf(out, "\n%s\n\n", r.summary())
	for _, c := range r.Cases {
		_, _ = fmt.Fprintf(out, "%-14s %s\n", c.state(), c.ID)
		if why := r.expected(c); why != "" {
			_, _ = fmt.Fprintf(out, "    expected to fail: %s\n", why)
		}
		for _, s := range c.knownIssues() {
			_, _ = fmt.Fprintf(out, "    %s step %d (%s): %s\n", s.Phase, s.Step, stepName(r, s.Step), s)
		}
		for _, p := range c.Pieces {
			if p.Failure != "" {
				_, _ = fmt.Fprintf(out, "    %s step %d (%s): %s\n    evidence: %s\n", p.Phase, p.Step, stepName(r, p.Step), p.Failure, filepath.Join(dir, p.Evidence))
			}
		}
	}
	for _, f := range r.Findings {
		_, _ = fmt.Fprintf(out, "%s\n", f)
	}
	for _, p := range r.Problems {
		if p != errOpen.Error() {
			_, _ = fmt.Fprintf(out, "problem: %s\n", p)
		}
	}
	switch {
	case r.over():
	case r.External != nil:
		_, _ = fmt.Fprintf(out, "The pods and claims of the cases stay in the cluster.\nAfter each step of your upgrade:  dratest upgrade check --report-dir %s\nAfter the last step:              dratest upgrade end --report-dir %s\n", dir, dir)
	default:
		_, _ = fmt.Fprintf(out, "The cluster %s stays as it is: \"dratest upgrade --resume --report-dir %s\" goes on, \"dratest cluster delete %s\" removes it.\n", r.Cluster, dir, r.Cluster)
	}
	_, _ = fmt.Fprintf(out, "verdict: %s, details in %s\n", strings.ToLower(string(r.Verdict)), filepath.Join(dir, TableFile))
}

// summary is one line about the steps.
func (r Record) summary() string {
	d := r.downtimes()
	longest := fmt.Sprintf("Longest times without: a new pod scheduled %.1fs, an answer of the API %.1fs, a ready node %.1fs, devices %s", d.Scheduling, d.API, d.NotReady, d.Devices)
	if r.External == nil {
		return fmt.Sprintf("%d of %d steps in %.0fs. %s", r.done(), len(r.Steps), r.Seconds, longest)
	}
	text := fmt.Sprintf("%d checks of an upgrade by another tool, now %s.", len(r.Steps), mix(r.External.Last))
	if r.watched() {
		text += " " + longest + "."
	}
	if unwatched := r.unwatched(); unwatched != "" {
		text += " " + unwatched
	}
	return text
}

// unwatched lists the checks of an upgrade by another tool without measured downtimes.
func (r Record) unwatched() string {
	var checks []string
	for i, s := range r.Steps {
		if s.Others && s.Watched == 0 {
			checks = append(checks, fmt.Sprint(i+1))
		}
	}
	if len(checks) == 0 {
		return ""
	}
	return fmt.Sprintf("Downtimes are unknown before check %s: \"dratest upgrade watch\" did not run.", strings.Join(checks, ", "))
}

func (r Record) watched() bool {
	return slices.ContainsFunc(r.Steps, func(s Step) bool { return s.Watched > 0 })
}

// title is the title of the table.
func (r Record) title() string {
	if x := r.External; x != nil {
		text := fmt.Sprintf("Upgrade of %s by another tool: %s", r.Target.Server, mix(x.First))
		if last := mix(x.Last); last != mix(x.First) {
			text += ", then " + last
		}
		return text
	}
	return r.Request.String()
}

func stepName(r Record, number int) string {
	if number < 1 || number > len(r.Steps) {
		return "before the first step"
	}
	return r.Steps[number-1].String()
}

// table is a Markdown table with a row per step and a column per case.
func table(r Record) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n\nVerdict: **%s**. %d of %d steps, %.0f seconds.\n\n", r.title(), r.Verdict, r.done(), len(r.Steps), r.Seconds)
	fmt.Fprintf(&b, "| | step | seconds | component away | no pod scheduled | API away | node not ready | no devices, driver publishes at once | no devices, driver uses the helper |")
	for _, c := range r.Cases {
		fmt.Fprintf(&b, " %s |", strings.TrimPrefix(c.ID, "upgrade/"))
	}
	fmt.Fprintf(&b, "\n|%s\n", strings.Repeat("---|", 9+len(r.Cases)))
	line := func(number int, what, numbers string) {
		fmt.Fprintf(&b, "| %d | %s | %s |", number, what, numbers)
		for _, c := range r.Cases {
			fmt.Fprintf(&b, " %s |", cell(c, number))
		}
		b.WriteString("\n")
	}
	line(0, "before", unmeasured)
	for i, s := range r.Steps {
		if s.Others {
			line(i+1, s.String(), s.measured())
			continue
		}
		line(i+1, s.String(), fmt.Sprintf("%.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f", s.Seconds, s.Downtimes.Component, s.Downtimes.Scheduling, s.Downtimes.API, s.Downtimes.NotReady, s.Downtimes.Devices.AtOnce, s.Downtimes.Devices.Helper))
	}
	b.WriteString("\n")
	if unwatched := r.unwatched(); unwatched != "" {
		fmt.Fprintf(&b, "%s\n\n", unwatched)
	}
	for _, c := range r.Cases {
		fmt.Fprintf(&b, "- **%s** %s: %s", c.state(), c.ID, c.Checks)
		if c.Skip != nil {
			fmt.Fprintf(&b, " (%s)", c.Skip.Text)
		}
		b.WriteString("\n")
		for _, s := range c.knownIssues() {
			fmt.Fprintf(&b, "  - %s step %d: known issue, %s\n", s.Phase, s.Step, s)
		}
		for _, p := range c.Pieces {
			if p.Failure != "" {
				fmt.Fprintf(&b, "  - %s step %d: %s (evidence: %s)\n", p.Phase, p.Step, strings.ReplaceAll(p.Failure, "\n", "\n    "), p.Evidence)
			}
		}
	}
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "- Found by monitors at %s: %s\n", f.Time.UTC().Format(time.TimeOnly), f)
	}
	for _, p := range r.Problems {
		fmt.Fprintf(&b, "- Problem: %s\n", p)
	}
	return b.Bytes()
}

// unmeasured are the cells of seconds and downtimes of a row without any.
const unmeasured = " | | | | | | "

// measured are these cells of a step of another tool: Watch measures the downtimes, nothing the step's duration.
func (s Step) measured() string {
	if s.Watched == 0 {
		return unmeasured
	}
	return fmt.Sprintf(" | | %.1f | %.1f | %.1f | %.1f | %.1f", s.Downtimes.Scheduling, s.Downtimes.API, s.Downtimes.NotReady, s.Downtimes.Devices.AtOnce, s.Downtimes.Devices.Helper)
}

// cell is a case's outcome after a step.
func cell(c Case, number int) string {
	text := ""
	for _, p := range c.Pieces {
		switch {
		case p.Step != number:
		case p.Status == spec.Known:
			text = "known"
		case p.Status != spec.Passed:
			return "**" + string(p.Status) + "**"
		case text == "":
			text = "ok"
		}
	}
	return text
}
