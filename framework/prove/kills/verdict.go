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

package kills

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dra-conformance/dratest/framework/prove"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
)

// judge: some case must have failed, or all that can run here. Those that did not are told,
// because they claim a requirement that is broken, or that they catch the mutant; so are those
// that cannot run here. A case whose only failure is that it could not clean up has seen all
// that it checks hold. Where all must notice it has noticed: those are mutants of drivers,
// which keep pods and claims from going.
func judge(r schema.Report, all bool) prove.Finding {
	var f prove.Finding
	var passed, left, blocked []string
	for _, c := range r.Cases {
		switch {
		case c.Status == spec.Failed && (all || !strings.HasPrefix(c.Failure, "clean up:")):
			f.By = append(f.By, c.ID)
		case c.Status == spec.NotApplicable:
			left = append(left, c.ID)
		case c.Status == spec.Blocked:
			blocked = append(blocked, fmt.Sprintf("%s: %s", c.ID, c.Reason))
		default:
			passed = append(passed, c.ID)
		}
	}
	f.Shown = len(f.By) > 0 && (!all || len(passed) == 0)
	if len(left) > 0 && (all || !f.Shown) {
		f.Note = "the cluster does not have what these need: " + strings.Join(left, ", ")
	}
	if f.Shown && !all {
		return f
	}
	f.Missed = passed
	if !all {
		f.Unable = left
	}
	f.NotApplicable = len(left) > 0 && len(left) == len(r.Cases)
	// What did not come to its end might have noticed the mutant. Where all must notice it, one
	// that has passed is a verdict all the same.
	if problems := slices.Concat(blocked, r.Problems); (!all || len(passed) == 0) && len(problems) > 0 {
		f.Problem = "cases did not come to their end: " + strings.Join(problems, "; ")
	}
	return f
}

// says is the first line of what a case that failed says.
func says(r schema.Report, id string) string {
	for _, c := range r.Cases {
		if c.ID == id {
			line, _, _ := strings.Cut(c.Failure, "\n")
			return line
		}
	}
	return ""
}
