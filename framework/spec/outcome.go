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

// The ways in which a case ends.
const (
	Passed Status = "Passed"
	Failed Status = "Failed"
	// Known: what the case checks does not hold, and Kubernetes is known for it.
	Known Status = "KnownIssue"
	// NotApplicable: the plan left the case out and says why.
	NotApplicable Status = "NotApplicable"
	// Blocked: the environment kept the case from a verdict.
	Blocked Status = "Blocked"
)

// Outcome is what one case came to.
type Outcome struct {
	ID     string `json:"id"`
	Status Status `json:"status"`
	// Started is zero for cases that never started.
	Started  time.Time     `json:"started,omitzero"`
	Duration time.Duration `json:"duration"`
	// Reason says why a case was not run or blocked, or which known issue it saw; Failure is the assertion
	// or error that ended it, LastStep what it was doing then.
	Reason   string `json:"reason,omitempty"`
	Failure  string `json:"failure,omitempty"`
	LastStep string `json:"lastStep,omitempty"`
	// Basis is how it is known, at the least, that the components with the known issue
	// that the case saw are Kubernetes' own.
	Basis Basis `json:"basis,omitempty"`
	// ClosedHere says which components are known for an issue that the case, which
	// passed, has not seen.
	ClosedHere string `json:"closedHere,omitempty"`
	// Location is file:line of the failure, relative to the module.
	Location string `json:"location,omitempty"`
	// Evidence is the folder with what was gathered, relative to the report
	// directory.
	Evidence string `json:"evidence,omitempty"`
	// Timeline is the file with the case's timeline, relative to it, too.
	Timeline string        `json:"timeline,omitempty"`
	Measured []Measurement `json:"measured,omitempty"`
}

// Progress is one line of a run's journal (outcomes.jsonl): a case has started
// (there is neither Step nor Outcome), has come to a step, or has ended.
type Progress struct {
	Time time.Time `json:"time"`
	ID   string    `json:"id"`
	// Step is what the case does now, for people.
	Step    string   `json:"step,omitempty"`
	Outcome *Outcome `json:"outcome,omitempty"`
}
