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
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/google/renameio/v2"
	"github.com/spf13/cobra"

	"github.com/dra-conformance/dratest/framework/issues"
	"github.com/dra-conformance/dratest/framework/issues/review"
	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/schema"
)

func newKnownIssuesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "known-issues",
		Short: "Review the known issues of Kubernetes",
	}
	cmd.AddCommand(newKnownIssuesReviewCommand())
	return cmd
}

// reviewFlags are the flags of "dratest known-issues review".
type reviewFlags struct {
	runFlags

	report string
	record string
}

func newKnownIssuesReviewCommand() *cobra.Command {
	var f reviewFlags
	cmd := &cobra.Command{
		Use:   "review",
		Short: "Find out which known issues a Kubernetes version still has",
		Long: `Run the cases with known issues on a version of Kubernetes, and print for each issue
whether it is seen as recorded, closed (its cases pass), failed (a case sees
something else) or not tried. The flags for the cluster are those of "dratest run".

--record adds the results to framework/issues/issues.yaml of a checkout of dratest,
under the version of the affected component. A dratest built from that checkout
excuses issues that are still seen; a case that sees a closed one fails.

Exit codes: 0 all issues are reviewed for the version; 1 a case failed; 4 a result is
not recorded, or an issue without a review was not tried.`,
		Example: `  dratest known-issues review --version v1.38.0-beta.0
  dratest known-issues review --kubeconfig ~/.kube/config --disruptive
  dratest known-issues review --report _artifacts --record framework/issues/issues.yaml`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("report") && f.report == "" {
				return withCode(codeUsage, errors.New("report: must not be empty"))
			}
			recorded, err := readIssues(f.record)
			if err != nil {
				return withCode(codeUsage, err)
			}
			if err := f.complete(cmd.Flags()); err != nil {
				return err
			}
			r, err := f.result(cmd.Context(), cmd.OutOrStdout())
			if err != nil {
				return err
			}
			return f.judge(cmd.OutOrStdout(), recorded, r, time.Now())
		},
	}
	f.addRunning(cmd.Flags())
	cmd.Flags().StringVar(&f.report, "report", "", "directory with the report of an earlier \"dratest run\" to judge instead of running cases")
	cmd.Flags().StringVar(&f.record, "record", "", "issues.yaml of a checkout of dratest: add the results to it")
	return cmd
}

// readIssues reads the file for --record, by default the rows of this build.
func readIssues(file string) ([]spec.KnownIssue, error) {
	if file == "" {
		return issues.All(), nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	all, err := issues.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("record: %s: %w", file, err)
	}
	return all, nil
}

// result returns the report of a run of the cases with known issues, or of the earlier run.
func (f *reviewFlags) result(ctx context.Context, out io.Writer) (schema.Report, error) {
	if f.report != "" {
		r, err := reports.Read(f.report)
		if err != nil {
			return r, missing(f.report, reports.JSONFile, err)
		}
		return r, nil
	}
	signals, stop := notifySignals()
	defer stop()
	p, o := f.running(out)
	o.Signals, o.Filter.Focus = signals, knownIssueCases(p.Metas())
	r, err := run.Run(ctx, p, o)
	if err != nil {
		return r, runError(ctx, r, err)
	}
	return r, nil
}

// knownIssueCases returns a regular expression for each case with a known issue.
func knownIssueCases(metas []spec.Meta) []string {
	var all []string
	for _, m := range metas {
		if m.KnownIssue != nil {
			all = append(all, "^"+regexp.QuoteMeta(m.ID)+"$")
		}
	}
	return all
}

// judge prints the review of some rows and records it.
func (f *reviewFlags) judge(out io.Writer, recorded []spec.KnownIssue, r schema.Report, now time.Time) error {
	rows := review.Judge(recorded, run.Metas(parts().Cases), r)
	if err := writeTable(out, review.Table(rows), 0); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(out, "%s on Kubernetes %s\n", review.Summary(rows), r.Cluster.Kubernetes)
	results := review.Left(rows, review.Record)
	if f.record != "" && results > 0 {
		data, err := issues.Render(review.Recorded(rows, now))
		if err != nil {
			return err
		}
		if err := renameio.WriteFile(f.record, data, 0o644); err != nil {
			return fmt.Errorf("record: %w", err)
		}
		_, _ = fmt.Fprintf(out, "%d reviews recorded in %s\n", results, f.record)
		results = 0
	}
	return reviewError(rows, results)
}

// reviewError maps a review to an exit code.
func reviewError(rows []review.Row, results int) error {
	var left []string
	code := codeIncomplete
	if n := review.Left(rows, review.Mend); n > 0 {
		left = append(left, fmt.Sprintf("%d failed", n))
		code = codeCasesFailed
	}
	if results > 0 {
		left = append(left, fmt.Sprintf("%d to be recorded (--record)", results))
	}
	if n := review.Left(rows, review.Elsewhere); n > 0 {
		left = append(left, fmt.Sprintf("%d not reviewed", n))
	}
	if len(left) == 0 {
		return nil
	}
	return withCode(code, fmt.Errorf("known issues: %s", strings.Join(left, ", ")))
}
