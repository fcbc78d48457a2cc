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

package spec

import "time"

// Status is how a case ended.
type Status string

// Statuses of a case.
const (
	Passed Status = "Passed"
	Failed Status = "Failed"
	// Known: the check failed due to a known issue of Kubernetes.
	Known Status = "KnownIssue"
	// Unreviewed: the check failed exactly as with a known issue of Kubernetes, in a newer minor version than known issues
	// were reviewed for.
	Unreviewed Status = "Unreviewed"
	// NotApplicable: the plan skipped the case with a reason.
	NotApplicable Status = "NotApplicable"
	// Blocked: the environment kept the case from a verdict.
	Blocked Status = "Blocked"
)

// Ended reports whether a case ended without a failure of its own: it passed, or saw exactly its known issue.
func (s Status) Ended() bool { return s == Passed || s == Known || s == Unreviewed }

// Outcome is the result of one case.
type Outcome struct {
	ID     string `json:"id"`
	Status Status `json:"status"`
	// Started is zero for cases that never started.
	Started  time.Time     `json:"started,omitzero"`
	Duration time.Duration `json:"duration"`
	// Reason is why a case was not run or blocked, or its observed known issue; Failure is the final assertion or error,
	// LastStep the step at that time.
	Reason   string `json:"reason,omitempty"`
	Failure  string `json:"failure,omitempty"`
	LastStep string `json:"lastStep,omitempty"`
	// Basis is the weakest evidence that the components with the observed known issue are Kubernetes' own.
	Basis Basis `json:"basis,omitempty"`
	// ClosedHere lists the components with a known issue not observed by the case, which passed.
	ClosedHere string `json:"closedHere,omitempty"`
	// Location is file:line of the failure, relative to the module.
	Location string `json:"location,omitempty"`
	// Evidence is the directory of evidence, relative to the report directory.
	Evidence string `json:"evidence,omitempty"`
	// Timeline is the file with the case's timeline, relative to it, too.
	Timeline string        `json:"timeline,omitempty"`
	Measured []Measurement `json:"measured,omitempty"`
}

// Progress is one line of a run's journal (outcomes.jsonl): a case has started (without Step and Outcome), reached a
// step, or ended.
type Progress struct {
	Time time.Time `json:"time"`
	ID   string    `json:"id"`
	// Step is the case's current step, for people.
	Step    string   `json:"step,omitempty"`
	Outcome *Outcome `json:"outcome,omitempty"`
}
