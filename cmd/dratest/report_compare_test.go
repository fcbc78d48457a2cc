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
	"strings"
	"testing"
)

func TestCompareCommands(t *testing.T) {
	const stock, strict = "../../reports/testdata/stock", "../../reports/testdata/run"
	for name, tc := range map[string]struct {
		args []string
		code int
		want string
	}{
		"same":             {[]string{"diff", stock, stock}, 0, "all cases came to the same"},
		"worse":            {[]string{"diff", stock, strict}, 1, "worse  core/ended-pod: knownIssue -> failed"},
		"better":           {[]string{"diff", strict, stock}, 0, "better core/ended-pod: failed -> knownIssue"},
		"as JSON":          {[]string{"diff", stock, strict, "-o", "json"}, 1, `"case": "core/ended-pod"`},
		"only one":         {[]string{"diff", stock}, codeUsage, "accepts 2 arg"},
		"no report":        {[]string{"diff", stock, "nowhere"}, codeUsage, "nowhere"},
		"unknown output":   {[]string{"diff", stock, stock, "-o", "xml"}, codeUsage, "use text or json"},
		"history":          {[]string{"history", "../../reports/testdata"}, 0, "core/ended-pod  0% of 1"},
		"history as JSON":  {[]string{"history", stock, strict, "-o", "json"}, 0, `"passRate": 0`},
		"history as HTML":  {[]string{"history", stock, strict, "-o", "html"}, 0, `<th scope="row">core/ended-pod</th>`},
		"history of none":  {[]string{"history", "testdata"}, codeUsage, "testdata"},
		"history, no word": {[]string{"history", stock, "-o", "xml"}, codeUsage, "use text, html or json"},
		"matrix":           {[]string{"matrix", stock, strict}, 0, "| `core/ended-pod` | knownIssue 5.7s | failed 5.8s |"},
		"matrix as HTML":   {[]string{"matrix", stock, strict, "-o", "html"}, 0, `<td class="failed">`},
		"matrix of none":   {[]string{"matrix"}, codeUsage, "at least 1"},
		"matrix as a word": {[]string{"matrix", stock, "-o", "xml"}, codeUsage, "use markdown or html"},
	} {
		t.Run(name, func(t *testing.T) {
			out, code := execute(t, append([]string{"report"}, tc.args...)...)
			if code != tc.code || !strings.Contains(out, tc.want) {
				t.Errorf("exit code %d, want %d; %q is not in:\n%s", code, tc.code, tc.want, out)
			}
		})
	}
}
