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

package catalogue

import (
	"fmt"
	"strings"
	"time"

	"github.com/dra-conformance/dratest/framework/spec"
)

// RenderKnownIssues returns the known issues of Kubernetes seen by cases, as Markdown.
func RenderKnownIssues(cases []spec.Meta) []byte {
	var b strings.Builder
	b.WriteString("<!-- Generated from the cases and framework/issues/issues.yaml with \"make generate\"; do not edit. -->\n" +
		"# Known issues of Kubernetes\n\n" +
		"These cases pass with dratest's own components; the API server is always Kubernetes'. With Kubernetes' components up to the release\n" +
		"in the table, they are reported as known issues and do not fail the run, if they observe exactly the described behavior. Anything else\n" +
		"is a failure. Maintainers review each issue by the given date; a nightly workflow lists overdue reviews.\n\n" +
		"| promise | actual behavior | component | issue | case | review |\n|---|---|---|---|---|---|\n")
	for _, c := range cases {
		if known := c.KnownIssue; known != nil {
			versions := "through " + known.Through
			if known.From != "" {
				versions = known.From + " " + versions
			}
			if n := len(known.Reviews); n > 0 && known.Reviews[n-1].Result == spec.Closed {
				versions += ", not seen in " + known.Reviews[n-1].Version
			}
			fmt.Fprintf(&b, "| %s | %s | %s, %s | %s | `%s` | %s |\n", c.Checks, known.Does, known.Component, versions, link(known.Issue), c.ID, known.Review)
		}
	}
	return []byte(b.String())
}

// Due returns the known issues due for review.
func Due(cases []spec.Meta, now time.Time) []string {
	var due []string
	for _, c := range cases {
		if known := c.KnownIssue; known != nil && known.Due(now) {
			due = append(due, fmt.Sprintf("%s: review %s, which was due on %s", c.ID, known.Issue, known.Review))
		}
	}
	return due
}

// link returns a link to an issue; files are only named.
func link(issue string) string {
	number, ok := strings.CutPrefix(issue, "kubernetes#")
	if !ok {
		return "none; `" + issue + "`"
	}
	return fmt.Sprintf("[#%s](https://github.com/kubernetes/kubernetes/issues/%s)", number, number)
}
