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
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/mattn/go-runewidth"

	"github.com/dra-conformance/dratest/framework/spec"
)

// tableWidth is the maximum width of tables; their last column is truncated.
const tableWidth = 120

// between is the number of columns between cells.
const between = 2

func (l caseList) table() [][]string {
	rows := [][]string{{"ID", "LABELS", "CHECKS"}}
	for _, c := range l.Cases {
		// The ID includes the area. Features are in the wide table.
		short := slices.DeleteFunc(slices.Clone(c.Labels), func(label string) bool {
			return label == c.Area() || strings.HasPrefix(label, spec.FeatureLabel)
		})
		rows = append(rows, []string{c.ID, orDash(short), c.Checks})
	}
	return rows
}

func (l caseList) wideTable() [][]string {
	rows := [][]string{{"ID", "LABELS", "NEEDS", "REQUIRES", "CHECKS"}}
	for _, c := range l.Cases {
		var requires []string
		for _, r := range c.Requires {
			requires = append(requires, string(r))
		}
		rows = append(rows, []string{c.ID, orDash(c.Labels), orDash(c.Needs.Descriptions()), orDash(requires), c.Checks})
	}
	return rows
}

func (l mutantList) table() [][]string {
	rows := [][]string{{"MUTANT", "CASES", "BREAKS"}}
	for _, m := range l.Mutants {
		rows = append(rows, []string{m.ID, fmt.Sprint(len(m.CaughtBy)), m.Breaks})
	}
	return rows
}

func (l mutantList) wideTable() [][]string {
	rows := [][]string{{"MUTANT", "BREAKS", "CAUGHT BY"}}
	for _, m := range l.Mutants {
		rows = append(rows, []string{m.ID, m.Breaks, orDash(m.CaughtBy)})
	}
	return rows
}

func orDash(all []string) string {
	if len(all) == 0 {
		return "-"
	}
	return strings.Join(all, ",")
}

// writeTable aligns the cells of rows. It truncates the last cell to width; 0 is no limit.
func writeTable(out io.Writer, rows [][]string, width int) error {
	last := len(rows[0]) - 1
	room := width - last*between
	for column := range last {
		widest := 0
		for _, row := range rows {
			widest = max(widest, runewidth.StringWidth(row[column]))
		}
		room -= widest
	}
	w := tabwriter.NewWriter(out, 0, 0, between, ' ', 0)
	for _, row := range rows {
		if width > 0 {
			row[last] = runewidth.Truncate(row[last], max(room, 1), "…")
		}
		_, _ = fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	return w.Flush()
}
