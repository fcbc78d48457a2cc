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

package expectations

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
)

// The type of the file.
const (
	Version = "dra-conformance.github.io/v1alpha1"
	Kind    = "Expectations"
)

// file is the content of the file.
type file struct {
	APIVersion   string               `yaml:"apiVersion"`
	Kind         string               `yaml:"kind"`
	Expectations []schema.Expectation `yaml:"expectations"`
}

// problems are found by line.
type problems []problem

type problem struct {
	line int
	text string
}

func (p *problems) add(line int, format string, args ...any) {
	*p = append(*p, problem{line, fmt.Sprintf(format, args...)})
}

// Error is one line for each problem.
func (p problems) Error() string {
	lines := make([]string, 0, len(p))
	for _, each := range p {
		lines = append(lines, spec.Printable(fmt.Sprintf("line %d: %s", each.line, each.text)))
	}
	return strings.Join(lines, "\n")
}

// Parse reads the file for a run of some of the cases and replaces earlier IDs of cases. The error
// has all problems by line: unknown fields and cases, duplicates, missing values, and expectations
// expired at now.
func Parse(data []byte, metas []spec.Meta, now time.Time) ([]schema.Expectation, error) {
	var f file
	var found problems
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	err := decoder.Decode(&f)
	found.decoding(err)
	if types := (*yaml.TypeError)(nil); err == nil || errors.As(err, &types) {
		lines := linesOf(data)
		decoded := err == nil || f.APIVersion+f.Kind != "" // a duplicate field prevents decoding of all fields
		if decoded && (f.APIVersion != Version || f.Kind != Kind) {
			found.add(1, "must have apiVersion %s and kind %s", Version, Kind)
		}
		if !errors.Is(decoder.Decode(new(any)), io.EOF) {
			found.add(1, "must be one document")
		}
		f.Expectations = schema.Printable(f.Expectations)
		found.entries(f.Expectations, lines, metas, now)
	}
	if len(found) == 0 {
		return f.Expectations, nil
	}
	slices.SortStableFunc(found, func(a, b problem) int { return cmp.Compare(a.line, b.line) })
	return nil, found
}

// ErrExpired: a run cannot be resumed after the last day of an expectation.
var ErrExpired = errors.New("expired expectation")

// Valid returns ErrExpired if an expectation of an earlier run has expired at now. The file is not
// read again.
func Valid(all []schema.Expectation, now time.Time) error {
	for _, e := range all {
		if e.Expired(now) {
			return fmt.Errorf("%w: the earlier run expects case %s to fail until %s: start anew", ErrExpired, e.Case, e.Until)
		}
	}
	return nil
}

var (
	atLine       = regexp.MustCompile(`^(?:yaml: )?line (\d+): (.*)$`)
	unknownField = regexp.MustCompile(`^field (.*) not found in type \S+$`)
	wrongType    = regexp.MustCompile("^cannot unmarshal \\S+ (?:(`.*`) )?into \\S+$")
)

// decoding adds the problems of the decoder.
func (p *problems) decoding(err error) {
	var texts []string
	types := (*yaml.TypeError)(nil)
	switch {
	case errors.Is(err, io.EOF):
		texts = []string{"the file is empty"}
	case errors.As(err, &types):
		texts = types.Errors
	case err != nil:
		texts = []string{err.Error()}
	}
	for _, text := range texts {
		line := 1
		if m := atLine.FindStringSubmatch(text); m != nil {
			line, _ = strconv.Atoi(m[1]) // has only digits
			text = m[2]
		}
		text = unknownField.ReplaceAllString(text, `unknown field "$1"`)
		p.add(line, "%s", strings.TrimSpace(wrongType.ReplaceAllString(text, "wrong kind of value $1")))
	}
}

// entries checks the expectations, and replaces earlier IDs of cases.
func (p *problems) entries(all []schema.Expectation, lines []int, metas []spec.Meta, now time.Time) {
	first := map[string]int{}
	for i := range all {
		e, line := &all[i], 1
		if i < len(lines) {
			line = lines[i]
		}
		if m := slices.IndexFunc(metas, func(m spec.Meta) bool { return m.ID == e.Case || slices.Contains(m.Aliases, e.Case) }); m >= 0 {
			e.Case = metas[m].ID
		} else if e.Case != "" {
			p.add(line, "there is no case %q; `dratest list` shows all", e.Case)
		}
		if before, twice := first[e.Case]; twice && e.Case != "" {
			p.add(line, "case %s is in line %d, too", e.Case, before)
		} else {
			first[e.Case] = line
		}
		for _, field := range []struct{ name, value string }{{"case", e.Case}, {"reason", e.Reason}, {"issue", e.Issue}, {"until", e.Until}} {
			if strings.TrimSpace(field.value) == "" {
				p.add(line, "%s is missing", field.name)
			}
		}
		if _, err := time.Parse(time.DateOnly, e.Until); err != nil && e.Until != "" {
			p.add(line, "until: %q must be a day, as 2027-03-31", e.Until)
		} else if e.Until != "" && e.Expired(now) {
			p.add(line, "case %s was expected to fail until %s: remove the entry, or extend it", e.Case, e.Until)
		}
	}
}

// linesOf returns the lines of the expectations in a decodable file.
func linesOf(data []byte) (lines []int) {
	var root yaml.Node
	if yaml.Unmarshal(data, &root) != nil || len(root.Content) == 0 {
		return nil
	}
	fields := root.Content[0].Content
	for i := 0; i+1 < len(fields); i += 2 {
		if fields[i].Value == "expectations" {
			for _, item := range fields[i+1].Content {
				lines = append(lines, item.Line)
			}
		}
	}
	return lines
}
