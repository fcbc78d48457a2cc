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
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/expectations"
)

// FuzzParse checks that accepted expectations are whole and of known cases, and that each problem of others has a line.
func FuzzParse(f *testing.F) {
	head := "apiVersion: " + expectations.Version + "\nkind: " + expectations.Kind + "\n"
	f.Add([]byte(head + "expectations:\n- {case: a/b, reason: r, issue: i, until: 2027-01-02}\n"))
	f.Add([]byte(head + "expectations: &a\n- case: a/old\n  until: 1\nexpectations: *a\n"))
	// A reason of nothing but escape sequences was accepted, and printed as an empty one.
	f.Add([]byte(head + "expectations:\n- {case: a/b, reason: \"\\e[2J\", issue: i, until: 2027-01-02}\n"))
	f.Add([]byte("expectations: {<<: [null]}\n---\n"))
	now := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	metas := []spec.Meta{{ID: "a/b", Aliases: []string{"a/old"}}}
	line := regexp.MustCompile(`^line \d+: .`)
	f.Fuzz(func(t *testing.T, data []byte) {
		all, err := expectations.Parse(data, metas, now)
		if err == nil {
			if err := expectations.Valid(all, now); err != nil || len(all) > 1 {
				t.Errorf("%+v: %v", all, err)
			}
			for _, e := range all {
				if e.Case != "a/b" || strings.TrimSpace(e.Reason) == "" || strings.TrimSpace(e.Issue) == "" {
					t.Errorf("%+v is accepted", e)
				}
			}
		} else if text := err.Error(); !line.MatchString(text) || spec.Printable(text) != text {
			t.Errorf("error %q", text)
		}
	})
}
