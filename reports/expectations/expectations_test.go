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

package expectations_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/expectations"
	"github.com/dra-conformance/dratest/reports/schema"
)

const head = "apiVersion: dra-conformance.github.io/v1alpha1\nkind: Expectations\nexpectations:\n"

func metas() []spec.Meta {
	return []spec.Meta{{ID: "core/a"}, {ID: "core/b", Aliases: []string{"core/old"}}}
}

// The last second of the last day still counts.
func today() time.Time {
	return time.Date(2027, 3, 31, 23, 59, 59, 0, time.FixedZone("", -3600)).Add(-time.Hour)
}

func TestParse(t *testing.T) {
	got, err := expectations.Parse([]byte(head+`
- case: core/a
  reason: it is slow
  issue: https://example.com/1
  until: 2027-03-31
- {case: core/old, reason: "it\e is old", issue: example#2, until: "2027-04-01"}
`), metas(), today())
	want := []schema.Expectation{
		{Case: "core/a", Reason: "it is slow", Issue: "https://example.com/1", Until: "2027-03-31"},
		{Case: "core/b", Reason: spec.Printable("it\x1b is old"), Issue: "example#2", Until: "2027-04-01"},
	}
	if d := cmp.Diff(want, got); err != nil || d != "" {
		t.Errorf("%v\n%s", err, d)
	}
	if got, err := expectations.Parse([]byte(strings.TrimSpace(head)+" []\n"), nil, today()); err != nil || len(got) != 0 {
		t.Errorf("%v, %v", got, err)
	}
}

func TestProblems(t *testing.T) {
	const good = "- {case: core/a, reason: r, issue: i, until: 2027-03-31}\n"
	for name, tc := range map[string]struct{ text, want string }{
		"empty":         {"", "line 1: the file is empty"},
		"no YAML":       {"a: [", "line 1: did not find expected"},
		"other type":    {"kind: Pod\n", "line 1: must have apiVersion dra-conformance.github.io/v1alpha1 and kind Expectations"},
		"no list":       {head + "  a: b\n", "line 4: wrong kind of value"},
		"two documents": {head + good + "---\na: b\n", "line 1: must be one document"},
		"unknown field": {head + "- {case: core/a, reason: r, issue: i, until: 2027-03-31, unless: x}\n", `line 4: unknown field "unless"`},
		"field twice":   {head + "- {case: core/a, case: core/b, reason: r, issue: i, until: 2027-03-31}\n", `line 4: mapping key "case" already defined`},
		"list twice":    {head + good + "expectations: []\n", "line 5: mapping key \"expectations\" already defined at line 3"},
		"unknown case":  {head + "- {case: core/c, reason: r, issue: i, until: 2027-03-31}\n", "line 4: there is no case \"core/c\"; `dratest list` shows all"},
		"duplicate":     {head + good + good, "line 5: case core/a is in line 4, too"},
		"by its old ID": {head + good + strings.ReplaceAll(good, "/a", "/old") + strings.ReplaceAll(good, "/a", "/b"), "line 6: case core/b is in line 5, too"},
		"expired":       {head + strings.ReplaceAll(good, "03-31", "03-30"), "line 4: case core/a was expected to fail until 2027-03-30: remove the entry, or extend it"},
		"no such day":   {head + strings.ReplaceAll(good, "03-31", "02-30"), `line 4: until: "2027-02-30" must be a day, as 2027-03-31`},
		"all at once":   {head + "- {case: core/c, until: soon}\n- {reason: ' ', x: y}\n", "line 4: there is no case \"core/c\"; `dratest list` shows all\nline 4: reason is missing\nline 4: issue is missing\nline 4: until: \"soon\" must be a day, as 2027-03-31\nline 5: unknown field \"x\"\nline 5: case is missing\nline 5: reason is missing\nline 5: issue is missing\nline 5: until is missing"},
		"not printable": {head + "- {case: \"\\e[2Jx\", reason: r, issue: i, until: 2027-03-31}\n", "there is no case \"x\""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := expectations.Parse([]byte(tc.text), metas(), today())
			if err == nil || got != nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "\x1b") {
				t.Errorf("got %v, %v\nwant %s", got, err, tc.want)
			}
		})
	}
}
