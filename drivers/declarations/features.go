package declarations

import (
	"slices"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Features says of features whether the driver has them; for those that are left out,
// what is observed counts.
type Features map[spec.DriverFeature]bool

// ClassFeatures are features whose devices are of a class.
type ClassFeatures []spec.DriverFeature

func knownFeature(name string) bool {
	return slices.Contains(spec.DriverFeatures(), spec.DriverFeature(name))
}
