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

package reports

import (
	"slices"

	"github.com/dra-conformance/dratest/framework/spec"
)

// requirements returns the requirements of a case with their texts. An unknown one is a MUST, so that
// its failures count.
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
