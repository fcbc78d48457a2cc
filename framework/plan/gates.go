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
