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
	"math"
	"slices"
	"strings"
)

const (
	// FeatureLabel is the prefix of labels for required features.
	FeatureLabel = "Feature:"
	// ConformanceLabel is for cases any cluster must pass with default features only.
	ConformanceLabel = "Conformance"
)

// Labels returns the labels of a case, derived from its data: its area, Conformance, "Feature:X" for each required
// feature, "KEP-N" for each enhancement with a checked requirement, Slow if it waits for a delay of Kubernetes' own,
// Serial if nothing else may run in parallel, and Disruptive if it restarts components or nodes.
func (m Meta) Labels() []string {
	labels := []string{m.Area()}
	if m.conformance() {
		labels = append(labels, ConformanceLabel)
	}
	for _, f := range m.Needs.Features {
		labels = append(labels, FeatureLabel+string(f))
	}
	labels = append(labels, m.keps()...)
	if m.WaitsFor != "" {
		labels = append(labels, "Slow")
	}
	if m.SerialBecause != "" {
		labels = append(labels, "Serial")
	}
	return append(labels, m.Needs.labels()...)
}

// conformance reports whether each cluster of a release with the case's features on by default must pass it: its
// needs are standard, and no release has a known issue.
func (m Meta) conformance() bool {
	offByDefault := func(f Feature) bool {
		newest, known := f.Stage(math.MaxUint)
		return !known || !newest.On
	}
	return m.KnownIssue == nil && m.Needs.standard() && !slices.ContainsFunc(m.Needs.Features, offByDefault)
}

// keps returns the enhancements with a checked requirement, as "KEP-4381".
func (m Meta) keps() []string {
	var keps []string
	for _, r := range m.Requires {
		if number, ok := strings.CutPrefix(string(r), "kep-"); ok {
			number, _, _ = strings.Cut(number, "/")
			keps = append(keps, "KEP-"+number)
		}
	}
	slices.Sort(keps)
	return slices.Compact(keps)
}
