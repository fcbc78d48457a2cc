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

// ConformanceProfile names a conformance profile: the target with the subset of its cases, as "cluster" or
// "cluster-conformance".
type ConformanceProfile string

// The targets of conformance profiles.
const (
	// ClusterTarget is for Kubernetes with nodes and control plane.
	ClusterTarget ConformanceProfile = "cluster"
	// ControlPlaneTarget is for a control plane of processes, with simulated nodes.
	ControlPlaneTarget ConformanceProfile = "controlplane"
	// DriverTarget is for a DRA driver.
	DriverTarget ConformanceProfile = "driver"
)

// Subset is a selection of the cases with a name, as --profile takes it.
type Subset string

// The subsets.
const (
	SubsetAll Subset = "all"
	// SubsetConformance has the cases any cluster must pass with defaults alone.
	SubsetConformance Subset = "conformance"
	// SubsetCore holds quick cases for a first try.
	SubsetCore Subset = "core"
)

// Subsets are all of them.
func Subsets() []Subset { return []Subset{SubsetCore, SubsetConformance, SubsetAll} }

// In reports whether the subset holds the case. The empty subset is SubsetAll.
func (m Meta) In(s Subset) bool {
	switch s {
	case SubsetConformance:
		return m.conformance()
	case SubsetCore:
		return m.Area() == "core" && m.WaitsFor == "" && m.SerialBecause == ""
	default:
		return s == "" || s == SubsetAll
	}
}

// Of is the profile for a subset of the target's cases.
func (p ConformanceProfile) Of(s Subset) ConformanceProfile {
	if s == "" || s == SubsetAll {
		return p
	}
	return p + "-" + ConformanceProfile(s)
}

// Profiles returns the profiles requiring the case, in order. Cases with a companion also test programs of dratest,
// so no cluster has to pass them.
func (m Meta) Profiles() []ConformanceProfile {
	kubernetes := len(m.Needs.Companions) == 0 && !m.Needs.DriverPods && !m.Needs.Contract
	onNode := !m.Needs.NoNode && !m.Needs.NoKubelet
	var all []ConformanceProfile
	for target, requires := range map[ConformanceProfile]bool{
		ClusterTarget: kubernetes,
		// Its components run in no pods, as required for metrics.
		ControlPlaneTarget: kubernetes && !onNode && len(m.Needs.Metrics) == 0,
		DriverTarget:       m.Needs.Devices > 0 || m.Needs.Contract,
	} {
		for _, s := range Subsets() {
			if requires && m.In(s) {
				all = append(all, target.Of(s))
			}
		}
	}
	slices.Sort(all)
	return all
}
