package path

import (
	"cmp"
	"maps"
	"slices"

	"github.com/dra-conformance/dratest/framework/spec"
)

// stage is what a gate is from a minor version on.
type stage struct {
	since  uint // minor version
	on     bool // by default
	locked bool
}

// gates are the stages of DRA's feature gates, the oldest first
// (k8s.io/kubernetes v1.37.1, pkg/features/kube_features.go; the older versions'
// agree).
//
//nolint:gochecknoglobals // a table
var gates = map[spec.Feature][]stage{
	spec.AdminAccess:          {{32, false, false}, {34, true, false}, {36, true, true}},
	spec.PrioritizedList:      {{33, false, false}, {34, true, false}, {37, true, true}},
	spec.DeviceStatus:         {{32, false, false}, {33, true, false}, {37, true, true}},
	spec.ExtendedResource:     {{34, false, false}, {36, true, false}, {37, true, true}},
	spec.DeviceTaints:         {{33, false, false}, {36, true, false}, {38, true, true}},
	spec.DeviceTaintRules:     {{35, false, false}, {37, true, false}, {38, true, true}},
	spec.PartitionableDevices: {{33, false, false}, {36, true, false}},
	spec.ConsumableCapacity:   {{34, false, false}, {36, true, false}},
	spec.BindingConditions:    {{34, false, false}, {36, true, false}},
	spec.ResourceHealthStatus: {{31, false, false}, {36, true, false}},

	granularStatusAuthorization: {{36, true, false}},
}

// needs has what a gate depends on, beside DRA itself (the same file,
// defaultKubernetesFeatureGateDependencies).
//
//nolint:gochecknoglobals // a table
var needs = map[spec.Feature]spec.Feature{
	spec.DeviceTaintRules:       spec.DeviceTaints,
	spec.BindingConditions:      spec.DeviceStatus,
	granularStatusAuthorization: spec.DeviceStatus,
}

// granularStatusAuthorization is no feature that a case needs.
const granularStatusAuthorization spec.Feature = "DRAResourceClaimGranularStatusAuthorization"

// stageOf is what a gate is in a version; ok is false where it is unknown.
func stageOf(gate spec.Feature, v Version) (found stage, ok bool) {
	for _, s := range gates[gate] {
		if s.since <= v.Minor {
			found, ok = s, true
		}
	}
	return found, ok
}

// On tells whether a gate is on at a place.
func (s State) On(gate spec.Feature, p Place) bool {
	if set, ok := s.Gates[GateAt{gate, p}]; ok {
		return set
	}
	found, _ := stageOf(gate, s.Software[p].Version)
	return found.on
}

// checkGates returns the rule that a gate breaks that was set.
func checkGates(s State) *RefusalError {
	set := slices.SortedFunc(maps.Keys(s.Gates), func(a, b GateAt) int {
		return cmp.Or(a.Place.compare(b.Place), cmp.Compare(a.Gate, b.Gate))
	})
	for _, at := range set {
		v := s.Software[at.Place].Version
		found, known := stageOf(at.Gate, v)
		if !known {
			return refuse(GateKnown, "%s %s has no feature gate %s", at.Place, v, at.Gate)
		}
		if found.locked && s.Gates[at] != found.on {
			return refuse(GateLocked, "feature gate %s of %s %s is locked to %t", at.Gate, at.Place, v, found.on)
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

// switched are the components that have DRA's gates, in the order in which it is
// safe to switch one on: the API server keeps the new fields before anybody writes
// them, and who acts on them knows them before who writes them does. Off is the
// other way round.
//
//nolint:gochecknoglobals // a table
var switched = []Component{APIServer, Kubelet, ControllerManager, Scheduler}

// Completes tells whether a step is the last one to switch its gate, so that all
// components of a cluster with one control plane node have it that way.
func (s Step) Completes() bool {
	last := switched[len(switched)-1]
	if !s.On {
		last = switched[0]
	}
	return s.Gate != "" && s.Place.Component == last
}
