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

// Stage is the state of a feature gate from a minor release of Kubernetes 1.x on.
type Stage struct {
	Since uint
	On    bool // by default
	// Locked: it cannot be set to anything else.
	Locked bool
}

// GranularStatusAuthorization is a gate of DRA without a feature of its own.
const GranularStatusAuthorization Feature = "DRAResourceClaimGranularStatusAuthorization"

// stages has DRA's feature gates, oldest stage first (k8s.io/kubernetes v1.37.1 and, for the stages of 1.38,
// v1.38.0-beta.0, pkg/features/kube_features.go; older versions agree). testdata/gates.txt is the same for the comparison with
// Kubernetes' own table, in a module that may require it.
//
//nolint:gochecknoglobals // a table
var stages = map[Feature][]Stage{
	AdminAccess:          {{32, false, false}, {34, true, false}, {36, true, true}},
	PrioritizedList:      {{33, false, false}, {34, true, false}, {37, true, true}},
	DeviceStatus:         {{32, false, false}, {33, true, false}, {37, true, true}},
	ExtendedResource:     {{34, false, false}, {36, true, false}, {37, true, true}},
	DeviceTaints:         {{33, false, false}, {36, true, false}, {38, true, true}},
	DeviceTaintRules:     {{35, false, false}, {37, true, false}, {38, true, true}},
	PartitionableDevices: {{33, false, false}, {36, true, false}, {38, true, true}},
	ConsumableCapacity:   {{34, false, false}, {36, true, false}},
	BindingConditions:    {{34, false, false}, {36, true, false}, {38, true, true}},
	ResourceHealthStatus: {{31, false, false}, {36, true, false}},
	ListAttributes:       {{36, false, false}},
	NodeAllocatable:      {{36, false, false}},
	DerivedAttributes:    {{37, false, false}},
	OptionalOperations:   {{37, false, false}},
	CompatibilityGroups:  {{37, false, false}},
	PartitionTypes:       {{37, false, false}},
	PoolStatus:           {{36, false, false}},
	WorkloadClaims:       {{36, false, false}},
	FilterTimeout:        {{34, true, false}},

	FractionalCapacityRange:     {{37, false, false}, {38, true, false}},
	GranularStatusAuthorization: {{36, true, false}},
}

// kept is the number of minor releases Kubernetes keeps a gate after locking it.
const kept = 3

// Stage returns the gate's stage in a minor release; ok is false if the gate does not exist yet.
func (f Feature) Stage(minor uint) (found Stage, ok bool) {
	for _, s := range stages[f] {
		if s.Since <= minor {
			found, ok = s, true
		}
	}
	return found, ok
}

// SchedulerDefaults returns the default gates of scheduler-only features in a minor release.
func SchedulerDefaults(minor uint) map[Feature]bool {
	found := map[Feature]bool{}
	for f := range stages {
		if s, ok := f.Stage(minor); ok && f.OfScheduler() {
			found[f] = s.On
		}
	}
	return found
}

// GateRemoved is true for releases with the feature's gate removed, because the feature can no longer be disabled.
func (f Feature) GateRemoved(minor uint) bool {
	s, ok := f.Stage(minor)
	return ok && s.Locked && s.On && minor >= s.Since+kept
}
