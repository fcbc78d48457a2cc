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

// Point is a moment of a kubelet between two persistent effects.
type Point string

// Points in the order a kubelet reaches them.
const (
	// Aside: at its start, with its checkpoint moved aside.
	Aside Point = "checkpoint-aside"
	// BeforeCheckpoint: it is about to save the change of a call, before or after it.
	BeforeCheckpoint Point = "before-checkpoint"
	AfterCheckpoint  Point = "after-checkpoint"
	// BeforePrepare: it is about to call a driver's NodePrepareResources.
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

// Held reports whether a driver has to hold a call to keep the kubelet at the point long enough; no log line marks
// it.
func (p Point) Held() bool { return p == DuringPrepare || p == DuringUnprepare }

// At is the point marked by a log line, or empty.
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
