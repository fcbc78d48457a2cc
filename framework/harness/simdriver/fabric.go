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

package simdriver

import (
	"github.com/onsi/ginkgo/v2"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Fabric scripts what the fabric says of the devices on one node, in place of
// what it said there before: which conditions become true, and when. In the
// beginning it says nothing, so that pods wait.
func (d *Driver) Fabric(node string, conditions ...spec.FabricCondition) {
	ginkgo.GinkgoHelper()
	for _, c := range conditions {
		d.t.Step("script fabric on %s: %s after %s", node, c.Type, c.Delay)
	}
	// Not nil, which would leave the script as it is (slices.Concat returns that for nothing).
	all := append([]spec.FabricCondition{}, conditions...)
	d.t.NoError(d.tell(d.t.Context(), node, spec.DriverChange{Fabric: &all}), "script fabric")
}
