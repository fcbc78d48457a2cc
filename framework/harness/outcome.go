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

package harness

import (
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/onsi/ginkgo/v2/types"

	"github.com/dra-conformance/dratest/framework/spec"
)

// suiteTimedOut is in Ginkgo's message when the whole run's time was up while a
// case was running.
const suiteTimedOut = "A suite timeout occurred"

// outcome is what Ginkgo's report of a spec means.
func (t *T) outcome(report types.SpecReport) *spec.Outcome {
	o := &spec.Outcome{ID: t.meta.ID, Started: t.started, Duration: report.RunTime, Evidence: t.folder, Timeline: t.timeline}
	t.mu.Lock()
	blocked, known := t.blocked, t.known
	o.Measured = t.measured
	t.mu.Unlock()
	switch {
	case report.State.Is(types.SpecStatePassed) && known != "":
		o.Status = spec.Known
		o.Reason, o.Basis = t.excused(known)
		return o
	case report.State.Is(types.SpecStatePassed):
		o.Status = spec.Passed
		o.ClosedHere, o.Basis = t.closedHere()
		return o
	case report.State.Is(types.SpecStateInterrupted | types.SpecStateAborted):
		o.Status, o.Reason = spec.Blocked, "the run was interrupted"
	case report.State.Is(types.SpecStateTimedout) && strings.Contains(report.Failure.Message, suiteTimedOut):
		o.Status, o.Reason = spec.Blocked, "the run's time limit was reached"
	case blocked != "":
		o.Status, o.Reason = spec.Blocked, blocked
	default:
		o.Status = spec.Failed
	}
	o.Failure = failureText(report)
	if t.lost != "" {
		o.Failure += "\nno evidence could be written: " + t.lost
	}
	o.Location = locate(t.meta.ID, report.Failure.Location)
	o.LastStep = lastStep(t.stepsSoFar(), report.Failure.TimelineLocation.Time)
	return o
}

// excused is what a case has seen of its known issue, with a mark where nothing but its
// name says that a component is the one that is known for it.
func (t *T) excused(seen string) (text string, basis spec.Basis) {
	excuse := t.excuse()
	text = t.meta.KnownIssue.Issue + ": " + seen
	if excuse.Basis == spec.Claimed {
		text += fmt.Sprintf(" (claimed: %s by name and version only, as %s)", excuse.Who, excuse.Why)
	}
	return text, excuse.Basis
}

// closedHere says which components should have had the issue that the case, which
// passed, knows.
func (t *T) closedHere() (who string, basis spec.Basis) {
	if t.meta.KnownIssue == nil {
		return "", ""
	}
	if excuse := t.excuse(); excuse.Not == "" {
		return excuse.Who, excuse.Basis
	}
	return "", ""
}

// failureText is what ended the case, and then what else went wrong: in the case
// after its time was up, and in what comes after it.
func failureText(report types.SpecReport) string {
	text := messageOf(report.Failure)
	if more := report.Failure.AdditionalFailure; more != nil {
		text += "\nthen: " + messageOf(more.Failure)
	}
	for _, more := range report.AdditionalFailures {
		text += "\nthen: " + messageOf(more.Failure)
	}
	return text
}

func messageOf(f types.Failure) string {
	if f.ForwardedPanic != "" {
		return f.Message + ": " + f.ForwardedPanic
	}
	return f.Message
}

// lastStep is the last one before the case failed; cleaning up has steps, too.
func lastStep(steps []step, failed time.Time) string {
	last := ""
	for _, s := range steps {
		if failed.IsZero() || !s.at.After(failed) {
			last = strings.TrimSpace(s.text)
		}
	}
	return last
}

// frame is a line of a stack trace that says where a function was.
var frame = regexp.MustCompile(`(?m)^\s+(\S+\.go):(\d+)`)

// locate returns file:line of a failure. A panic is where the runtime or a
// library notices it: the line of the case that led there says more.
func locate(id string, l types.CodeLocation) string {
	folder := caseFolder(id)
	here := relative(l.FileName, l.LineNumber)
	if strings.HasPrefix(here, folder) {
		return here
	}
	for _, m := range frame.FindAllStringSubmatch(l.FullStackTrace, -1) {
		line, _ := strconv.Atoi(m[2]) // has only digits
		if there := relative(m[1], line); strings.HasPrefix(there, folder) {
			return there
		}
	}
	return here
}

// caseFolder is where the code of a case is: in the folder of its area, or in that of
// all cases of upgrades.
func caseFolder(id string) string {
	area, _, _ := strings.Cut(id, "/")
	if area == "upgrade" {
		return "upgrade/cases/"
	}
	return "suites/" + area + "/"
}

// relative is file:line below the module's root.
func relative(file string, line int) string {
	for _, root := range []string{"/suites/", "/framework/", "/upgrade/"} {
		if i := strings.LastIndex(file, root); i >= 0 {
			file = file[i+1:]
		}
	}
	if file == "" {
		return ""
	}
	return file + ":" + strconv.Itoa(line)
}

// folderOf is where the evidence of a case goes, below the report directory.
func folderOf(id string) string {
	return path.Join("cases", strings.ReplaceAll(id, "/", "."))
}
