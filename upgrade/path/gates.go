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

package path

import (
	"cmp"
	"maps"
	"slices"

	"github.com/dra-conformance/dratest/framework/spec"
)

// needs has the dependencies of gates, in addition to DRA itself (k8s.io/kubernetes v1.37.1,
// pkg/features/kube_features.go, defaultKubernetesFeatureGateDependencies).
//
//nolint:gochecknoglobals // a table
var needs = map[spec.Feature]spec.Feature{
	spec.DeviceTaintRules:            spec.DeviceTaints,
	spec.BindingConditions:           spec.DeviceStatus,
	spec.GranularStatusAuthorization: spec.DeviceStatus,
}

// On reports whether a gate is on at a place.
func (s State) On(gate spec.Feature, p Place) bool {
	if set, ok := s.Gates[GateAt{gate, p}]; ok {
		return set
	}
	found, _ := gate.Stage(s.Software[p].Version.Minor)
	return found.On
}

func checkGates(s State) *RefusalError {
	set := slices.SortedFunc(maps.Keys(s.Gates), func(a, b GateAt) int {
		return cmp.Or(a.Place.compare(b.Place), cmp.Compare(a.Gate, b.Gate))
	})
	for _, at := range set {
		v := s.Software[at.Place].Version
		found, known := at.Gate.Stage(v.Minor)
		if !known {
			return refuse(GateKnown, "%s %s has no feature gate %s", at.Place, v, at.Gate)
		}
		if found.Locked && s.Gates[at] != found.On {
			return refuse(GateLocked, "feature gate %s of %s %s is locked to %t", at.Gate, at.Place, v, found.On)
		}
		if refusal := checkNeeds(s, at.Place); refusal != nil {
			return refusal
		}
	}
	return nil
}

func checkNeeds(s State, p Place) *RefusalError {
	for _, gate := range slices.Sorted(maps.Keys(needs)) {
		if s.On(gate, p) && !s.On(needs[gate], p) {
			return refuse(GateNeeds, "%s %s does not start with %s off while %s is on", p, s.Software[p].Version, needs[gate], gate)
		}
	}
	return nil
}

// switched are the components with DRA's gates, in a safe order for enabling one: the API server stores the new
// fields before anybody writes them, and their readers come before their writers. Disabling reverses it.
//
//nolint:gochecknoglobals // a table
var switched = []Component{APIServer, Kubelet, ControllerManager, Scheduler}

// Completes reports whether a step is the last one to switch its gate in a cluster with one control plane node.
func (s Step) Completes() bool {
	last := switched[len(switched)-1]
	if !s.On {
		last = switched[0]
	}
	return s.Gate != "" && s.Place.Component == last
}
