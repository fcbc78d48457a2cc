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

package allocation

import (
	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// SliceOrder publishes slices not in the order of their names.
var SliceOrder = harness.Case{Meta: spec.Meta{
	ID:       "allocation/slice-order",
	Checks:   "Devices are tried in the order of their slices' names, and in a slice in its own order.",
	Requires: []spec.RequirementID{"kubeletplugin/slice-order-is-preference"},
	Needs:    spec.Needs{NoKubelet: true, Since: "1.36"},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	for _, prefix := range []string{"c", "a", "b"} {
		s := t.Slice("pool", t.Nodes[0], device(prefix+"-2", nil), device(prefix+"-1", nil))
		s.Name, s.Spec.Pool.ResourceSliceCount = prefix+"-"+t.DriverName(), 3
		t.Create(s)
	}
	t.Expect(results(use(t, objects.Claim("five", count("req", class, 5))))).To(gomega.Equal([]string{
		"req=pool/a-2", "req=pool/a-1", "req=pool/b-2", "req=pool/b-1", "req=pool/c-2",
	}), "devices in the order of attempts")
}}
