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

package declarations

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Problem is something wrong in a declaration.
type Problem struct {
	// Line is the line of the problem; for missing values, the line of the parent.
	Line int
	Text string
}

// ParseErrors are all problems of a declaration, in line order.
type ParseErrors []Problem

// Error is one line for each problem.
func (p ParseErrors) Error() string {
	lines := make([]string, 0, len(p))
	for _, problem := range p {
		lines = append(lines, fmt.Sprintf("line %d: %s", problem.Line, problem.Text))
	}
	return strings.Join(lines, "\n")
}

// Parse reads a declaration. The error is of type ParseErrors, and complete, unless the file is not valid YAML.
func Parse(data []byte) (Declaration, error) {
	var d Declaration
	var file yaml.Node
	if err := yaml.Unmarshal(data, &file); err != nil {
		return d, ParseErrors(decodeProblems(err))
	}
	if len(file.Content) == 0 {
		return d, ParseErrors{{Line: 1, Text: "the file is empty: `dratest certify init --driver NAME` writes one"}}
	}
	root := file.Content[0]
	v, problem := versionOf(root)
	if problem != nil {
		return d, ParseErrors{*problem} // its fields may be others
	}
	var problems ParseErrors
	if line := secondDocument(data); line > 0 {
		problems = append(problems, Problem{line, "must be one document: this is a second one"})
	}
	problems = append(problems, v.unknownFields(root, reflect.TypeFor[Declaration](), "")...)
	if err := root.Decode(&d); err != nil {
		problems = append(problems, decodeProblems(err)...)
	} else {
		d.convert()
		problems = append(problems, d.check(root, v)...)
	}
	if len(problems) == 0 {
		return d, nil
	}
	slices.SortStableFunc(problems, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
	return d, problems
}

// secondDocument returns the line of a second document that is not empty, or 0.
func secondDocument(data []byte) int {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var first, second yaml.Node
	if decoder.Decode(&first) != nil || decoder.Decode(&second) != nil || len(second.Content) == 0 || second.Content[0].Tag == "!!null" {
		return 0
	}
	return second.Content[0].Line
}

var (
	atLine    = regexp.MustCompile(`^(?:yaml: )?line (\d+): (.*)$`)
	wrongType = regexp.MustCompile("^cannot unmarshal \\S+(?: (`.*`))? into (\\S+)$")
)

// decodeProblems splits the library's error, which has a line in each part.
func decodeProblems(err error) []Problem {
	texts := []string{err.Error()}
	if all := (*yaml.TypeError)(nil); errors.As(err, &all) {
		texts = all.Errors
	}
	problems := make([]Problem, 0, len(texts))
	for _, text := range texts {
		p := Problem{Line: 1, Text: strings.TrimPrefix(text, "yaml: ")}
		if m := atLine.FindStringSubmatch(text); m != nil {
			p.Line, _ = strconv.Atoi(m[1]) // has only digits
			p.Text = m[2]
		}
		if m := wrongType.FindStringSubmatch(p.Text); m != nil {
			p.Text = strings.TrimSpace(m[1] + " must be " + wanted(m[2]))
		}
		problems = append(problems, p)
	}
	return problems
}

// wanted describes the values of a Go type.
func wanted(goType string) string {
	switch {
	case goType == "int":
		return "a number"
	case goType == "bool":
		return "true or false"
	case goType == "string":
		return "a text"
	case goType == "time.Duration":
		return "a time, as 30s or 2m"
	case strings.HasPrefix(goType, "[]"), strings.HasSuffix(goType, ".Exceptions"):
		return "a list"
	default:
		return "fields with values"
	}
}

func (v version) unknownFields(node *yaml.Node, t reflect.Type, path string) []Problem {
	var problems []Problem
	switch {
	case t.Kind() == reflect.Slice && node.Kind == yaml.SequenceNode:
		for i, item := range node.Content {
			problems = append(problems, v.unknownFields(item, t.Elem(), fmt.Sprintf("%s[%d]", path, i))...)
		}
	case t.Kind() == reflect.Struct && node.Kind == yaml.MappingNode:
		fields := fieldsOf(t)
		for key, value := range pairs(node) {
			field, known := fields[key.Value]
			if !known {
				problems = append(problems, unknown(key, path, v.names(fields)))
				continue
			}
			if text := v.lacks(field); text != "" {
				problems = append(problems, Problem{key.Line, fmt.Sprintf("unknown field %q: %s", join(path, key.Value), text)})
			}
			problems = append(problems, v.unknownFields(value, field.Type, join(path, key.Value))...)
		}
	case t == reflect.TypeFor[Features]() && node.Kind == yaml.MappingNode:
		for key := range pairs(node) {
			if !knownFeature(key.Value) {
				var all []string
				for _, f := range spec.DriverFeatures() {
					all = append(all, string(f))
				}
				problems = append(problems, unknown(key, path, all))
			}
		}
	}
	return problems
}

func unknown(key *yaml.Node, path string, known []string) Problem {
	text := fmt.Sprintf("unknown field %q", join(path, key.Value))
	if near := nearest(key.Value, known); near != "" {
		return Problem{key.Line, text + fmt.Sprintf(": did you mean %q?", near)}
	}
	return Problem{key.Line, text + ": known are " + strings.Join(known, ", ")}
}

func fieldsOf(t reflect.Type) map[string]reflect.StructField {
	fields := map[string]reflect.StructField{}
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("yaml"), ",")
		fields[name] = t.Field(i)
	}
	return fields
}

func (v version) names(fields map[string]reflect.StructField) []string {
	all := make([]string, 0, len(fields))
	for name, field := range fields {
		if v.lacks(field) == "" {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

// pairs are the keys and values of a mapping.
func pairs(node *yaml.Node) func(yield func(key, value *yaml.Node) bool) {
	return func(yield func(key, value *yaml.Node) bool) {
		for i := 0; i+1 < len(node.Content); i += 2 {
			if !yield(node.Content[i], node.Content[i+1]) {
				return
			}
		}
	}
}

func join(path, name string) string { return strings.TrimPrefix(path+"."+name, ".") }

// nearest is the known word with the smallest edit distance, at most a third of its letters.
func nearest(word string, known []string) string {
	best, distance := "", 0
	for _, k := range known {
		if d := edits(strings.ToLower(word), strings.ToLower(k)); d <= max(1, len(k)/3) && (best == "" || d < distance) {
			best, distance = k, d
		}
	}
	return best
}

// edits is the Levenshtein distance.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
