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
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/schema"
)

// Folder returns the directory of a column's report: its name without characters rejected by archives and
// CI artifacts. Repeated runs have one directory each.
func Folder(column string) string {
	return strings.ReplaceAll(strings.Replace(column, ", run ", "/run-", 1), ":", "@")
}

// Reports returns the directories with reports of a matrix or of repeated runs.
func Reports(dir fs.FS) ([]string, error) {
	var all []string
	for _, pattern := range []string{"*", "*/run-*"} {
		found, err := fs.Glob(dir, path.Join(pattern, reports.ConformanceFile))
		if err != nil {
			return nil, err
		}
		for _, file := range found {
			all = append(all, path.Dir(file))
		}
	}
	return all, nil
}

// Verify compares the files of a matrix, if present, with the reports in its directories.
func Verify(dir fs.FS, folders []string) (reasons []string) {
	found, err := fs.ReadFile(dir, MarkdownFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return []string{err.Error()}
	}
	columns := columnsOf(found)
	var all []schema.ConformanceReport
	var seen []string
	for _, column := range columns {
		folder, c, err := report(dir, column, folders)
		if err != nil {
			reasons = append(reasons, fmt.Sprintf("%s: %v", MarkdownFile, err))
		}
		all, seen = append(all, c), append(seen, folder)
	}
	for _, folder := range folders {
		if !slices.Contains(seen, folder) {
			reasons = append(reasons, fmt.Sprintf("%s: it has no column for the report in %s", MarkdownFile, folder))
		}
	}
	table := New(all)
	table.Columns = columns
	if row := certificates(all); row != nil {
		table.Profiles = append([]Row{*row}, table.Profiles...)
	}
	page, err := HTML(table)
	if err != nil {
		return append(reasons, err.Error())
	}
	for name, should := range map[string][]byte{MarkdownFile: Markdown(table), HTMLFile: page} {
		if has, err := fs.ReadFile(dir, name); err != nil || !bytes.Equal(has, should) {
			reasons = append(reasons, fmt.Sprintf("%s is not what the reports make it", name))
		}
	}
	slices.Sort(reasons)
	return reasons
}

// report returns the report of a column; zero if its run has none.
func report(dir fs.FS, column string, folders []string) (folder string, c schema.ConformanceReport, err error) {
	for _, name := range []string{column, kubernetes.ReplaceAllString(column, "")} {
		if folder = Folder(name); slices.Contains(folders, folder) {
			break
		}
	}
	if !slices.Contains(folders, folder) {
		return "", c, nil
	}
	data, err := fs.ReadFile(dir, path.Join(folder, reports.ConformanceFile))
	if err != nil {
		return folder, c, err
	}
	c, err = schema.DecodeConformance(data)
	return folder, c, err
}

// kubernetes matches the first part of a column's name.
var kubernetes = regexp.MustCompile(`^v[^ ]+ `)

// columnsOf returns the columns of a Markdown matrix.
func columnsOf(markdown []byte) []string {
	for line := range strings.Lines(string(markdown)) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "| run | "); ok {
			return strings.Split(strings.TrimSuffix(rest, " |"), " | ")
		}
	}
	return nil
}

// certificates returns the row of driver certificates; nil if there are none.
func certificates(all []schema.ConformanceReport) *Row {
	row, some := Row{Name: "certificate"}, false
	for _, c := range all {
		verdict := ""
		if c.Certificate != nil {
			verdict, some = string(c.Certificate.Verdict), true
		}
		row.Cells = append(row.Cells, verdict)
	}
	if !some {
		return nil
	}
	return &row
}
