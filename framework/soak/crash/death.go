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

package crash

import (
	"regexp"
	"slices"
	"time"
)

// Flags make a kubelet log each point.
const Flags = "--vmodule=steps=4,call=4"

// Death is the evidence left by a kubelet killed at a log line.
type Death struct {
	// Line is the line it was killed at, Time the time.
	Line string    `json:"line"`
	Time time.Time `json:"time"`
	// After are lines about other points written before it was dead.
	After []string `json:"after,omitempty"`
	// Saved: the checkpoint differs from the one at the line before.
	Saved bool `json:"saved,omitempty"`
}

// At is the kubelet's actual point of death: the last point reached for the same claims. called reports whether the
// driver got a call for these claims. In doubt it is the later point, but an answer about to be saved is not saved.
func (d Death) At(called func(claims []string) bool) Point {
	at, claims := At(d.Line), Claims(d.Line)
	for _, line := range d.After {
		next, about := At(line), Claims(line)
		if next == BeforeCheckpoint && at.answered() {
			continue // the answer is not saved yet
		}
		if slices.Equal(about, claims) || at.saves() && (about == nil || claims == nil) {
			at, claims = next, about
		}
	}
	switch {
	case at.saves() && d.Saved:
		return AfterCheckpoint
	case at == BeforePrepare && called(claims):
		return DuringPrepare
	case at == BeforeUnprepare && called(claims):
		return DuringUnprepare
	default:
		return at
	}
}

// answered reports whether a driver's answer is to be saved.
func (p Point) answered() bool { return p == AfterPrepare || p == AfterUnprepare }

// saves reports whether a checkpoint comes next, or has just been written.
func (p Point) saves() bool { return p == BeforeCheckpoint || p == AfterCheckpoint || p.answered() }

// Unsaved reports whether a kubelet at a line must be kept from saving its checkpoint in order to die at point p and
// not after it.
func (p Point) Unsaved(line string) bool {
	switch p {
	case BeforeCheckpoint:
		return true
	case AfterPrepare:
		return At(line) == BeforePrepare
	case AfterUnprepare:
		return At(line) == BeforeUnprepare
	default:
		return false
	}
}

var uid = regexp.MustCompile(`"UID":"([^"]+)"`)

// Claims are the claim UIDs in a line about a call.
func Claims(line string) []string {
	var all []string
	for _, found := range uid.FindAllStringSubmatch(line, -1) {
		all = append(all, found[1])
	}
	return all
}
