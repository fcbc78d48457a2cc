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

// TimelineVersion is the version of timeline.json's schema; within a version fields are
// only added.
const TimelineVersion = "dra-conformance.github.io/timeline/v1"

// Timelines selects the cases with a timeline in the report.
type Timelines string

// The choices; an empty one is TimelinesNone.
const (
	TimelinesAll    Timelines = "all"
	TimelinesFailed Timelines = "failed" // not passed
	TimelinesNone   Timelines = "none"
)

// Timeline is the chronological record of one case (timeline.json in the case's directory).
type Timeline struct {
	SchemaVersion string          `json:"schemaVersion"`
	ID            string          `json:"id"`
	Started       time.Time       `json:"started"`
	Ended         time.Time       `json:"ended"`
	Entries       []TimelineEntry `json:"entries"`
	// Missing lists invisible or omitted events, with reasons.
	Missing []string `json:"missing,omitempty"`
}

// TimelineEntry is one event.
type TimelineEntry struct {
	// Time is by the clock of the source: dratest's for steps and watched objects, the node's for calls and logs.
	Time   time.Time      `json:"time"`
	Source TimelineSource `json:"source"`
	// Took is the duration of a driver's call; Open means it was still pending.
	Took time.Duration `json:"took,omitempty"`
	Open bool          `json:"open,omitempty"`
	// Object is the entry's subject: the name of a pod, claim or slice, "kind/name" of an event, the node of a call or
	// kubelet, the pod of a scheduler; StepSeen for the observation of a step.
	Object string `json:"object,omitempty"`
	Text   string `json:"text"`
	// State is the new state of a pod, claim or slice, in a word; "Deleted" if it is gone.
	State    string           `json:"state,omitempty"`
	Severity TimelineSeverity `json:"severity,omitempty"`
}

// TimelineSource is the source of an entry.
type TimelineSource string

// The sources.
const (
	FromStep      TimelineSource = "step"
	FromPod       TimelineSource = "pod"
	FromClaim     TimelineSource = "claim"
	FromSlice     TimelineSource = "slice"
	FromEvent     TimelineSource = "event"
	FromDriver    TimelineSource = "driver"
	FromScheduler TimelineSource = "scheduler"
	FromKubelet   TimelineSource = "kubelet"
)

// TimelineSeverity marks possible explanations of a failure; most entries have none.
type TimelineSeverity string

// The severities.
const (
	SeverityWarning TimelineSeverity = "warning"
	SeverityError   TimelineSeverity = "error"
)

// StepSeen is the object of an entry with the observation of the step before.
const StepSeen = "seen"

// StateDeleted is the state of a deleted object.
const StateDeleted = "Deleted"
