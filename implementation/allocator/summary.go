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

package allocator

import (
	"fmt"
	"slices"
)

// Summary is a Reason without the node's numbers. kube-scheduler counts nodes with the same text, so a
// pod's condition stays short and unchanged while only numbers differ.
type Summary struct {
	Claim, Request string
	Wanted         int
	All            bool
	// Cause is the state of the node's devices, or of most matching ones.
	Cause string
	// Incomplete: a pool is in the middle of an update.
	Incomplete bool
}

// Summary returns the text for a pod's condition.
func (r *Reason) Summary() Summary {
	s := Summary{Claim: r.Claim, Request: r.Request, Wanted: r.Wanted, All: r.All, Cause: r.cause(), Incomplete: r.Incomplete > 0}
	if r.All {
		s.Wanted = 0 // differs by node
	}
	return s
}

func (r *Reason) cause() string {
	lost := r.lost()
	most := slices.MaxFunc(lost, func(a, b loss) int { return a.count - b.count })
	switch {
	case r.Devices == 0:
		return "the node has none"
	case r.Matching == 0:
		return "none matches its selectors"
	case most.count == 0 || r.Matching < r.Wanted:
		return "too few match its selectors"
	}
	return "most matching devices are " + most.what
}

// String returns one line.
func (s Summary) String() string {
	wanted := devices(s.Wanted)
	if s.All {
		wanted = "all devices"
	}
	line := fmt.Sprintf("claim %s, request %s wants %s, %s", s.Claim, s.Request, wanted, s.Cause)
	if s.Incomplete {
		line += "; pools are being updated"
	}
	return line
}
