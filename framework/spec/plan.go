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

import "slices"

// SkipCode is the machine-readable reason why a case does not run.
type SkipCode string

// Skip says why a planned case does not run.
type Skip struct {
	Code SkipCode `json:"code"`
	Text string   `json:"text"`
}

// Entry is one case in a plan.
type Entry struct {
	Meta Meta `json:"meta"`
	// Skip is nil for cases that run.
	Skip *Skip `json:"skip,omitempty"`
}

// Plan is the list of a run's cases in order.
type Plan struct {
	Target  Target  `json:"target"`
	Entries []Entry `json:"entries"`
}

// RunsOnNodes reports whether an unskipped entry needs a node with a working kubelet.
func (p Plan) RunsOnNodes() bool {
	return slices.ContainsFunc(p.Entries, func(e Entry) bool {
		return e.Skip == nil && e.Meta.Needs.LeastNodes() > 0 && !e.Meta.Needs.NoKubelet
	})
}

// RunsWith reports whether an unskipped entry needs a feature.
func (p Plan) RunsWith(f Feature) bool {
	return slices.ContainsFunc(p.Entries, func(e Entry) bool { return e.Skip == nil && slices.Contains(e.Meta.Needs.Features, f) })
}

// Runs counts the unskipped entries.
func (p Plan) Runs() int {
	n := 0
	for _, e := range p.Entries {
		if e.Skip == nil {
			n++
		}
	}
	return n
}
