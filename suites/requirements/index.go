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

package requirements

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Index maps the lines of one document to promises.
type Index struct {
	Document string
	// SHA256 identifies the version of the text; the texts themselves are not stored here.
	SHA256 string
	Rows   []Row
}

// Row has the requirements of some lines, or the reason for having none.
type Row struct {
	First, Last  int
	Requirements []spec.RequirementID
	Nothing      string
}

// Indexes returns all indexes, sorted by name.
func Indexes() ([]Index, error) {
	entries, err := files.ReadDir("index")
	if err != nil {
		return nil, fmt.Errorf("list indexes: %w", err)
	}
	var all []Index
	for _, e := range entries {
		content, err := files.ReadFile(path.Join("index", e.Name()))
		if err != nil {
			return nil, fmt.Errorf("read indexes: %w", err)
		}
		l, err := parseIndex(string(content))
		if err != nil {
			return nil, fmt.Errorf("read index/%s: %w", e.Name(), err)
		}
		all = append(all, l)
	}
	return all, nil
}

// parseIndex reads "document: x" and "sha256: x", then rows such as "12-14 kep-1/a kep-1/b" or "15
// - why the line promises nothing", sorted by first line.
func parseIndex(content string) (Index, error) {
	var l Index
	last := 0
	for line := range strings.Lines(content) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if document, ok := strings.CutPrefix(line, "document: "); ok {
			l.Document = document
			continue
		}
		if sum, ok := strings.CutPrefix(line, "sha256: "); ok {
			l.SHA256 = sum
			continue
		}
		row, err := parseRow(line)
		if err != nil {
			return Index{}, fmt.Errorf("%q: %w", line, err)
		}
		if row.First < last {
			return Index{}, fmt.Errorf("%q: sort the rows by their first line", line)
		}
		last = row.First
		l.Rows = append(l.Rows, row)
	}
	if l.Document == "" || l.SHA256 == "" {
		return Index{}, fmt.Errorf("name the document and the SHA-256 sum of its text at the top")
	}
	return l, nil
}

func parseRow(line string) (Row, error) {
	lines, rest, _ := strings.Cut(line, " ")
	first, last, isRange := strings.Cut(lines, "-")
	if !isRange {
		last = first
	}
	var row Row
	var err error
	if row.First, err = strconv.Atoi(first); err != nil {
		return Row{}, fmt.Errorf("begin a row with a line or a range of lines: %w", err)
	}
	if row.Last, err = strconv.Atoi(last); err != nil || row.Last < row.First {
		return Row{}, fmt.Errorf("%s is no range of lines", lines)
	}
	if why, ok := strings.CutPrefix(rest, "- "); ok {
		row.Nothing = why
		return row, nil
	}
	for _, id := range strings.Fields(rest) {
		row.Requirements = append(row.Requirements, spec.RequirementID(id))
	}
	if len(row.Requirements) == 0 {
		return Row{}, fmt.Errorf(`name requirements, or write "- " and why there are none`)
	}
	return row, nil
}
