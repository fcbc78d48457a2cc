package plan

import (
	"k8s.io/apimachinery/pkg/util/version"

	"github.com/dra-conformance/dratest/framework/spec"
)

// pastGate is true where a gate that the server does not know was removed
// because the feature can no longer be switched off.
func pastGate(f spec.Feature, kubernetes string) bool {
	v, err := version.ParseGeneric(kubernetes)
	return err == nil && v.Major() == 1 && f.GateRemoved(v.Minor())
}

// gatesFor are the gates that tell of a feature, those of the API server or of the scheduler,
// and why they cannot be seen.
func gatesFor(f spec.Feature, target spec.Target) (gates map[spec.Feature]bool, unseen string) {
	if f.OfScheduler() {
		return target.SchedulerGates, target.SchedulerGatesUnseen
	}
	return target.Gates, target.GatesUnseen
}
