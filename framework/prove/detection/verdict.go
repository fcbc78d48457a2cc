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

package detection

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dra-conformance/dratest/framework/prove"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
)

// judge: some case must have failed, or all able to run here. Passed cases are listed, because they claim a violated
// requirement or to catch the mutant; so are those unable to run here. A case failing only in its cleanup has not
// detected anything. With All it has: those are mutants of drivers, which block the deletion of pods and claims.
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
	f.Detected = len(f.By) > 0 && (!all || len(passed) == 0)
	if len(left) > 0 && (all || !f.Detected) {
		f.Note = "the cluster does not have what these need: " + strings.Join(left, ", ")
	}
	if f.Detected && !all {
		return f
	}
	f.Missed = passed
	if !all {
		f.Unable = left
	}
	f.NotApplicable = len(left) > 0 && len(left) == len(r.Cases)
	// An incomplete case might have detected the mutant. With All, a passed case is a verdict all the same.
	if problems := slices.Concat(blocked, r.Problems); (!all || len(passed) == 0) && len(problems) > 0 {
		f.Problem = "cases did not come to their end: " + strings.Join(problems, "; ")
	}
	return f
}

// failureLine is the first line of a failed case's message.
func failureLine(r schema.Report, id string) string {
	for _, c := range r.Cases {
		if c.ID == id {
			line, _, _ := strings.Cut(c.Failure, "\n")
			return line
		}
	}
	return ""
}
