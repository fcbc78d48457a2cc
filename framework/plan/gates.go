package plan

import (
	"k8s.io/apimachinery/pkg/util/version"

	"github.com/dra-conformance/dratest/framework/spec"
)

// removable is the number of minor releases for which Kubernetes keeps the gate
// of a feature after the feature became generally available.
const removable = 3

// generallyAvailable holds the minor release of Kubernetes 1.x in which a feature
// became generally available (upstream's pkg/features/kube_features.go).
//
//nolint:gochecknoglobals // a table
var generallyAvailable = map[spec.Feature]uint{
	spec.AdminAccess:      36,
	spec.PrioritizedList:  36,
	spec.DeviceStatus:     37,
	spec.DeviceTaints:     37,
	spec.DeviceTaintRules: 37,
	spec.ExtendedResource: 37,
}

// pastGate is true where a gate that the server does not know was removed
// because the feature can no longer be switched off.
func pastGate(f spec.Feature, kubernetes string) bool {
	since, ok := generallyAvailable[f]
	v, err := version.ParseGeneric(kubernetes)
	return ok && err == nil && v.Major() == 1 && v.Minor() >= since+removable
}
