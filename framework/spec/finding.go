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

import (
	"fmt"
	"slices"
	"time"
)

// FindingRule names a rule of the monitors.
type FindingRule string

// The rules of monitors. Those about allocations and reservations have the names of framework/audit.
const (
	// PoolIncomplete: a pool lacks slices of its newest generation for over a minute.
	PoolIncomplete FindingRule = "pool-incomplete"
	// ComponentRestarted: a container of the control plane, or of the test driver, was started again.
	ComponentRestarted FindingRule = "component-restarted"
	// LeaseLost: the leader of a component changed, or does not renew its lease.
	LeaseLost FindingRule = "lease-lost"
	// APIServerUnavailable: the API server did not answer for a while.
	APIServerUnavailable FindingRule = "apiserver-unavailable"
	// ObjectGone: an object that was there before the run is gone.
	ObjectGone FindingRule = "object-gone"
	// ObjectChanged: a node or class that was there before the run is changed.
	ObjectChanged FindingRule = "object-changed"
)

// FindingSeverity is the effect of a finding on the run.
type FindingSeverity string

// The severities of findings.
const (
	// Violation fails the run.
	Violation FindingSeverity = "violation"
	// Warning does not: the objects are not the run's.
	Warning FindingSeverity = "warning"
)

// Monitoring describes the monitors of a run.
type Monitoring struct {
	// Requests is how many requests they made, watches included.
	Requests int64 `json:"requests"`
	// CPUSeconds is the CPU time of all processes of the run.
	CPUSeconds float64 `json:"cpuSeconds"`
	// Unwatched is what the run's account may not watch.
	Unwatched []string `json:"unwatched,omitempty"`
}

// Add returns the sum for the parts of a resumed run; nil is none.
func (m *Monitoring) Add(more Monitoring) *Monitoring {
	if m != nil {
		more.Requests += m.Requests
		more.CPUSeconds += m.CPUSeconds
		more.Unwatched = append(slices.Clone(m.Unwatched), more.Unwatched...)
		slices.Sort(more.Unwatched)
		more.Unwatched = slices.Compact(more.Unwatched)
	}
	return &more
}

// Finding is a broken rule that a monitor found while cases ran.
type Finding struct {
	Time     time.Time       `json:"time"`
	Rule     FindingRule     `json:"rule"`
	Severity FindingSeverity `json:"severity"`
	Text     string          `json:"text"`
	// Objects are the broken rule's, as "resourceclaims/namespace/name".
	Objects []string `json:"objects,omitempty"`
	// Cases ran at the time of the finding.
	Cases []string `json:"cases,omitempty"`
}

// String returns severity, rule and text.
func (f Finding) String() string { return fmt.Sprintf("%s %s: %s", f.Severity, f.Rule, f.Text) }
