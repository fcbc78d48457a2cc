package reports

import (
	"slices"

	"github.com/dra-conformance/dratest/framework/spec"
)

// requirements are the texts of what a case requires. One without a text is a MUST, so
// that nothing is taken lightly for want of it.
func requirements(ids []spec.RequirementID, known []spec.Requirement) []spec.Requirement {
	found := make([]spec.Requirement, 0, len(ids))
	for _, id := range ids {
		r := spec.Requirement{ID: id, Level: spec.Must}
		if i := slices.IndexFunc(known, func(k spec.Requirement) bool { return k.ID == id }); i >= 0 {
			r = known[i]
		}
		found = append(found, r)
	}
	return found
}
