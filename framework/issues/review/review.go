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

package review

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dra-conformance/dratest/framework/plan"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
)

// Result reports whether a known issue is seen on a version.
type Result string

// The results, the weakest first.
const (
	// Closed: all cases passed.
	Closed Result = "closed"
	// NotTried: a case has no verdict, or its component is not Kubernetes' own.
	NotTried Result = "not tried"
	// Seen: a case observed exactly the issue.
	Seen Result = "seen"
	// Failed: a case observed something else, or an issue recorded as closed.
	Failed Result = "failed"
)

// Decision is what has to be done about an issue.
type Decision string

// The decisions.
const (
	// Record adds the result to the reviews of the issue.
	Record Decision = "to be recorded"
	// Mend requires an investigation of the failure.
	Mend Decision = "to be investigated"
	// Elsewhere requires a review of the issue on another cluster.
	Elsewhere Decision = "not reviewed"
)

// Row is a known issue in a run.
type Row struct {
	Issue spec.KnownIssue
	// Cases of "dratest run" may see it.
	Cases []string
	// Version is the release of its component, or the cluster's if unknown.
	Version string
	Result  Result
	// Reason is why a case failed or was not tried.
	Reason string
	// Decision is empty if nothing has to be done.
	Decision Decision
}

// Judge returns a row for each issue from the report of a run of some cases.
func Judge(issues []spec.KnownIssue, cases []spec.Meta, r schema.Report) []Row {
	var rows []Row
	for _, issue := range issues {
		row := Row{Issue: issue}
		for _, m := range cases {
			if m.KnownIssue != nil && m.KnownIssue.ID == issue.ID {
				row.Cases = append(row.Cases, m.ID)
			}
		}
		upstream, not := release(issue.Component, r.Cluster)
		row.Version = cmp.Or(upstream, r.Cluster.Kubernetes)
		row.Result, row.Reason = outcome(row.Cases, r.Cases, not)
		if closed, _, _ := issue.Standing(row.Version); row.Result == Seen && closed != "" {
			row.Result, row.Reason = Failed, "a case saw it, but "+closed
		}
		row.Decision = decide(row)
		rows = append(rows, row)
	}
	return rows
}

// release returns the release of a component of the cluster, or why it is not one of Kubernetes' own.
func release(component string, c schema.Cluster) (version, not string) {
	target := spec.Target{Kubernetes: c.Kubernetes, Running: c.Running}
	var nodes []string
	for _, kubelet := range target.ComponentsOf(spec.Kubelet) {
		nodes = append(nodes, kubelet.Node)
	}
	running, not := plan.Upstream(component, target, nodes)
	for _, one := range running {
		found, ok := spec.ReleaseOf(one.Version)
		switch {
		case !ok:
			return "", fmt.Sprintf("version %q is not a release of Kubernetes", one.Version)
		case version != "" && version != found:
			return "", fmt.Sprintf("components have the versions %s and %s", version, found)
		}
		version = found
	}
	return version, not
}

// outcome returns the strongest result of an issue's cases, and its reason.
func outcome(ids []string, cases []schema.Case, not string) (Result, string) {
	if len(ids) == 0 {
		return NotTried, "not seen by cases of dratest run: use dratest upgrade or dratest explore"
	}
	strength := []Result{Closed, NotTried, Seen, Failed}
	result, reason := Closed, ""
	for _, id := range ids {
		one, why := NotTried, "case "+id+" did not run"
		if i := slices.IndexFunc(cases, func(c schema.Case) bool { return c.ID == id }); i >= 0 {
			one, why = ofCase(cases[i], not)
		}
		if slices.Index(strength, one) > slices.Index(strength, result) {
			result, reason = one, why
		}
	}
	return result, reason
}

func ofCase(c schema.Case, not string) (Result, string) {
	switch {
	case c.Status == spec.Failed:
		first, _, _ := strings.Cut(c.Failure, "\n")
		return Failed, c.ID + ": " + first
	case !c.Status.Ended():
		return NotTried, c.Reason
	case not != "":
		return NotTried, not
	case c.Status == spec.Passed:
		return Closed, ""
	default:
		return Seen, ""
	}
}

func decide(row Row) Decision {
	not, unreviewed, err := row.Issue.Standing(row.Version)
	switch {
	case row.Result == Failed:
		return Mend
	case row.Result == NotTried && (unreviewed != "" || err != nil):
		return Elsewhere
	case row.Result == Seen && unreviewed != "", row.Result == Closed && not == "" && !seenIn(row):
		return Record
	}
	return ""
}

// seenIn reports whether another report saw the issue on the version.
func seenIn(row Row) bool {
	return slices.ContainsFunc(row.Issue.Reviews, func(r spec.Review) bool { return r.Version == row.Version && r.Result == spec.Seen })
}

// Recorded returns the issues of rows, with the results to be recorded as reviews of a day.
func Recorded(rows []Row, day time.Time) []spec.KnownIssue {
	var issues []spec.KnownIssue
	for _, row := range rows {
		issue := row.Issue
		if row.Decision == Record {
			result := spec.Closed
			if row.Result == Seen {
				result = spec.Seen
			}
			issue = issue.Reviewed(spec.Review{Version: row.Version, Date: day.Format(time.DateOnly), Result: result})
		}
		issues = append(issues, issue)
	}
	return issues
}

// Table returns the rows as text, with a header.
func Table(rows []Row) [][]string {
	table := [][]string{{"ISSUE", "THROUGH", "VERSION", "RESULT", "DECISION", "CASES", "REASON"}}
	for _, row := range rows {
		table = append(table, []string{
			row.Issue.ID, row.Issue.Through, row.Version, string(row.Result), cmp.Or(string(row.Decision), "-"), cmp.Or(strings.Join(row.Cases, ","), "-"), cmp.Or(row.Reason, "-"),
		})
	}
	return table
}

// Summary counts the results.
func Summary(rows []Row) string {
	number := map[Result]int{}
	for _, row := range rows {
		number[row.Result]++
	}
	return fmt.Sprintf("%d known issues: %d seen, %d closed, %d failed, %d not tried", len(rows), number[Seen], number[Closed], number[Failed], number[NotTried])
}

// Left returns the number of rows with a decision.
func Left(rows []Row, decision Decision) int {
	left := 0
	for _, row := range rows {
		if row.Decision == decision {
			left++
		}
	}
	return left
}
