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
	"fmt"
	"slices"
	"strings"
)

// Point is a moment in a kubelet's life, between two things that outlast it.
type Point string

// The points, in the order in which a kubelet comes to them.
const (
	// Aside: it starts, and its checkpoint is not in its place.
	Aside Point = "checkpoint-aside"
	// BeforeCheckpoint: it wants to save what a call is about to change, or has.
	BeforeCheckpoint Point = "before-checkpoint"
	AfterCheckpoint  Point = "after-checkpoint"
	// BeforePrepare: it has decided to call NodePrepareResources of a driver.
	BeforePrepare Point = "before-prepare"
	// DuringPrepare: the driver has the call and has not answered.
	DuringPrepare Point = "during-prepare"
	// AfterPrepare: the driver has answered, and the answer is not saved.
	AfterPrepare    Point = "after-prepare"
	BeforeUnprepare Point = "before-unprepare"
	DuringUnprepare Point = "during-unprepare"
	AfterUnprepare  Point = "after-unprepare"
)

// Points lists all points.
func Points() []Point {
	return []Point{Aside, BeforeCheckpoint, AfterCheckpoint, BeforePrepare, DuringPrepare, AfterPrepare, BeforeUnprepare, DuringUnprepare, AfterUnprepare}
}

// Parse returns the points of these names; "all" stands for all of them.
func Parse(names []string) ([]Point, error) {
	var points []Point
	for _, name := range names {
		switch {
		case name == "all":
			points = append(points, Points()...)
		case slices.Contains(Points(), Point(name)):
			points = append(points, Point(name))
		default:
			return nil, fmt.Errorf("unknown point %q, known are all, %s", name, Names())
		}
	}
	return points, nil
}

// Names are the points for people.
func Names() string {
	var names []string
	for _, p := range Points() {
		names = append(names, string(p))
	}
	return strings.Join(names, ", ")
}

// Held is whether a driver has to hold a call for a kubelet to be at the point for
// long enough; no line of the log says that it is there.
func (p Point) Held() bool { return p == DuringPrepare || p == DuringUnprepare }

// At is the point that a line of the log says that the kubelet has come to, and
// empty if it says nothing of the kind.
func At(line string) Point {
	unprepare := strings.Contains(line, `method="NodeUnprepareResources"`)
	switch {
	case strings.Contains(line, `"Put the DRA checkpoint aside"`), strings.Contains(line, `"The DRA checkpoint is still aside from an earlier start"`):
		return Aside
	case strings.Contains(line, `"Writing checkpoint"`):
		return BeforeCheckpoint
	case strings.Contains(line, `"Wrote checkpoint"`):
		return AfterCheckpoint
	case strings.Contains(line, `"Calling DRA driver"`):
		if unprepare {
			return BeforeUnprepare
		}
		return BeforePrepare
	case strings.Contains(line, `"DRA driver has answered"`):
		if unprepare {
			return AfterUnprepare
		}
		return AfterPrepare
	default:
		return ""
	}
}
