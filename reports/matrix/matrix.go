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

package matrix

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dra-conformance/dratest/reports/schema"
)

// Table is a matrix as text.
type Table struct {
	// Columns are the names of the reports.
	Columns []string
	// Runs are verdicts, counts and durations.
	Runs     []Row
	Profiles []Row
	Cases    []Row
}

// Row is the result of a profile or case in each report; "" if absent.
type Row struct {
	Name  string
	Cells []string
}

// New returns the matrix of reports in their order, without cases never selected.
func New(reports []schema.ConformanceReport) Table {
	t := Table{Columns: columns(reports)}
	t.Runs = rows(reports, func(r schema.ConformanceReport, add func(name, cell string)) {
		add("verdict", lowerFirst(string(r.Run.Verdict)))
		add("cases", counts(r.Summary))
		add("duration", duration(r.Run.Ended.Sub(r.Run.Started)))
	})
	t.Profiles = rows(reports, func(r schema.ConformanceReport, add func(name, cell string)) {
		for _, p := range r.Profiles {
			c := p.Counts
			add(p.Name, fmt.Sprintf("%s (%d of %d)", p.Result, c.Passed, c.Passed+c.Failed+c.Warnings+c.KnownIssues+c.ExpectedFailures+c.Unreviewed+c.Blocked+c.NotApplicable+c.NotSelected))
		}
	})
	t.Cases = rows(reports, func(r schema.ConformanceReport, add func(name, cell string)) {
		for _, c := range r.Cases {
			add(c.ID, strings.TrimSpace(string(c.Result)+" "+took(c.Attempts)))
		}
	})
	t.Cases = slices.DeleteFunc(t.Cases, func(row Row) bool {
		return !slices.ContainsFunc(row.Cells, func(cell string) bool { return cell != "" && cell != string(schema.CaseNotSelected) })
	})
	return t
}

// Differing returns the results of cases with differences between the reports.
func Differing(reports []schema.ConformanceReport) []Row {
	all := rows(reports, func(r schema.ConformanceReport, add func(name, cell string)) {
		for _, c := range r.Cases {
			add(c.ID, string(c.Result))
		}
	})
	return slices.DeleteFunc(all, func(row Row) bool { return len(slices.Compact(slices.Clone(row.Cells))) == 1 })
}

// counts returns the summary as text; "" without a run.
func counts(s schema.Summary) string {
	if s.Total == 0 {
		return ""
	}
	return s.String()
}

// took describes the duration of the last attempt, and the number of attempts.
func took(attempts []schema.Attempt) string {
	if len(attempts) == 0 {
		return ""
	}
	text := duration(time.Duration(attempts[len(attempts)-1].DurationSeconds * float64(time.Second)))
	if len(attempts) > 1 {
		text += fmt.Sprintf(" (%d attempts)", len(attempts))
	}
	return text
}

// duration returns "" for 0: nothing ran.
func duration(d time.Duration) string {
	if d <= 0 {
		return ""
	}
	return fmt.Sprintf("%.1fs", d.Seconds())
}

func lowerFirst(word string) string {
	if word == "" {
		return ""
	}
	return strings.ToLower(word[:1]) + word[1:]
}

// rows collects rows from each report, in order of appearance.
func rows(reports []schema.ConformanceReport, each func(r schema.ConformanceReport, add func(name, cell string))) []Row {
	var all []Row
	for column, r := range reports {
		each(r, func(name, cell string) {
			i := slices.IndexFunc(all, func(row Row) bool { return row.Name == name })
			if i < 0 {
				i = len(all)
				all = append(all, Row{Name: name, Cells: make([]string, len(reports))})
			}
			all[i].Cells[column] = cell
		})
	}
	return all
}

// columns names the reports by target, numbering duplicates.
func columns(reports []schema.ConformanceReport) []string {
	names := Targets(reports)
	seen := map[string]int{}
	for i, name := range names {
		if seen[name]++; seen[name] > 1 {
			names[i] = fmt.Sprintf("%s (%d)", name, seen[name])
		}
	}
	return names
}

// Targets names the configuration of each report: the Kubernetes version, and differences in provider,
// stack, driver, project, suite and mode.
func Targets(reports []schema.ConformanceReport) []string {
	parts := []func(schema.ConformanceReport) string{
		func(r schema.ConformanceReport) string { return r.Cluster.Kubernetes },
		func(r schema.ConformanceReport) string { return r.Cluster.Provider },
		func(r schema.ConformanceReport) string { return stack(r.Cluster.Stack) },
		func(r schema.ConformanceReport) string {
			return strings.TrimSpace(r.Driver.Name + " " + r.Driver.Image)
		},
		func(r schema.ConformanceReport) string {
			return strings.TrimSpace(r.Implementation.Project + " " + r.Implementation.Version)
		},
		func(r schema.ConformanceReport) string {
			return strings.TrimSpace("suite " + r.Suite.Version + " " + r.Suite.Commit[:min(7, len(r.Suite.Commit))])
		},
		func(r schema.ConformanceReport) string { return mode(r.Run.Selection) },
	}
	names := make([]string, len(reports))
	for n, part := range parts {
		differs := slices.ContainsFunc(reports, func(r schema.ConformanceReport) bool { return part(r) != part(reports[0]) })
		for i, r := range reports {
			if n == 0 || differs {
				names[i] = strings.TrimSpace(names[i] + " " + part(r))
			}
		}
	}
	return names
}

// mode describes selections changing the judgment of cases.
func mode(s schema.Selection) string {
	switch {
	case s.Mutant != "":
		return "mutant " + string(s.Mutant)
	case s.Strict:
		return "strict"
	default:
		return ""
	}
}

// stack returns "stock", "own", or the list of components other than stock.
func stack(s map[string]string) string {
	whose := slices.Compact(slices.Sorted(maps.Values(s)))
	if len(whose) == 1 {
		return whose[0]
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(s)) {
		if s[name] != "stock" {
			parts = append(parts, name+"="+s[name])
		}
	}
	return strings.Join(parts, ", ")
}

// Markdown renders the table as Markdown, for example for issues.
func Markdown(t Table) []byte {
	var b strings.Builder
	b.WriteString("# DRA conformance\n")
	for _, part := range []struct {
		title string
		rows  []Row
	}{{"run", t.Runs}, {"profile", t.Profiles}, {"case", t.Cases}} {
		fmt.Fprintf(&b, "\n| %s |", part.title)
		for _, c := range t.Columns {
			fmt.Fprintf(&b, " %s |", strings.ReplaceAll(c, "|", `\|`))
		}
		b.WriteString("\n|---|" + strings.Repeat("---|", len(t.Columns)) + "\n")
		for _, row := range part.rows {
			fmt.Fprintf(&b, "| `%s` |", row.Name)
			for _, cell := range row.Cells {
				fmt.Fprintf(&b, " %s |", cmp.Or(cell, "-"))
			}
			b.WriteString("\n")
		}
	}
	return []byte(b.String())
}
