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
	"strings"
	"time"

	"github.com/onsi/ginkgo/v2/types"

	"github.com/dra-conformance/dratest/framework/spec"
)

// suiteTimedOut is in Ginkgo's message when the time of the whole run is up during a case.
const suiteTimedOut = "A suite timeout occurred"

// outcome converts Ginkgo's report of a spec.
func (t *T) outcome(report types.SpecReport) *spec.Outcome {
	o := &spec.Outcome{ID: t.meta.ID, Started: t.started, Duration: report.RunTime, Evidence: t.folder, Timeline: t.timeline}
	known := t.knownIssue()
	t.mu.Lock()
	blocked := t.blocked
	o.Measured = t.measured
	t.mu.Unlock()
	switch {
	case report.State.Is(types.SpecStatePassed) && known != "":
		o.Status, o.Reason, o.Basis = t.excused(known)
		if t.lost != "" {
			o.Reason += " (no evidence could be written: " + t.lost + ")"
		}
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

// SetMeasured adds measurements to the outcome.
func (t *T) SetMeasured(all []spec.Measurement) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.measured = all
}

// excused describes the known issue of a case, with a mark if the component is known by its name
// only or the issue needs a review.
func (t *T) excused(seen string) (status spec.Status, text string, basis spec.Basis) {
	excuse := t.excuse()
	text = t.meta.KnownIssue.Issue + ": " + seen
	if excuse.Basis == spec.Claimed {
		text += fmt.Sprintf(" (claimed: %s by name and version only, as %s)", excuse.Who, excuse.Why)
	}
	if excuse.Unreviewed != "" {
		return spec.Unreviewed, text + " (unreviewed: " + excuse.Unreviewed + ")", excuse.Basis
	}
	return spec.Known, text, excuse.Basis
}

// closedHere returns the components expected to have the known issue of a passed case.
func (t *T) closedHere() (who string, basis spec.Basis) {
	if t.meta.KnownIssue == nil {
		return "", ""
	}
	if excuse := t.excuse(); excuse.Not == "" {
		return excuse.Who, excuse.Basis
	}
	return "", ""
}

// lastStep is the last step before the failure; the cleanup has steps, too.
func lastStep(steps []step, failed time.Time) string {
	last := ""
	for _, s := range steps {
		if failed.IsZero() || !s.at.After(failed) {
			last = strings.TrimSpace(s.text)
		}
	}
	return last
}
