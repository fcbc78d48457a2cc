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

package console_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/framework/run/console"
	"github.com/dra-conformance/dratest/reports/schema"
)

func TestMatrix(t *testing.T) {
	side := func(name string, s schema.Summary) console.Side {
		return console.Side{Name: name, Report: schema.Report{SchemaVersion: schema.Version, DurationSeconds: 31.2, Summary: s}}
	}
	stock := side("stock", schema.Summary{Verdict: schema.Passed, Total: 3, Passed: 2, KnownIssues: 1, MedianSeconds: 3})
	own := side("own", schema.Summary{Verdict: schema.Failed, Total: 3, Passed: 2, Failed: 1})
	for name, tc := range map[string]struct {
		sides console.Sides
		want  string
	}{
		"differs": {console.Sides{Sides: []console.Side{stock, own}, Differences: []console.Difference{{Case: "core/a", Came: []string{"stock: known issue", "own: failed"}}}}, `
cases that did not come to the same in these 2 runs: 1
differs core/a                                           stock: known issue; own: failed

stock: 2 passed, 0 failed, 1 known issue, 0 blocked, 0 not applicable (median 3.0s, whole run 31.2s): passed
own: 2 passed, 1 failed, 0 blocked, 0 not applicable (median 0.0s, whole run 31.2s): failed: 1 of 3 cases
`},
		"same": {console.Sides{Sides: []console.Side{stock, stock}}, `
all cases came to the same in these 2 runs

stock: 2 passed, 0 failed, 1 known issue, 0 blocked, 0 not applicable (median 3.0s, whole run 31.2s): passed
stock: 2 passed, 0 failed, 1 known issue, 0 blocked, 0 not applicable (median 3.0s, whole run 31.2s): passed
`},
		"one is missing": {console.Sides{Sides: []console.Side{stock, {Name: "own", Err: errors.New("no program\nof this version")}}}, `
there are no two reports that could be compared

stock: 2 passed, 0 failed, 1 known issue, 0 blocked, 0 not applicable (median 3.0s, whole run 31.2s): passed
own: no program of this version
`},
	} {
		var out bytes.Buffer
		console.Matrix(&out, tc.sides)
		if d := cmp.Diff(tc.want, out.String()); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}
