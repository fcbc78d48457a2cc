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

package classic

import (
	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/classicdra"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ClassMissing has claims of both modes; their class is created later.
var ClassMissing = harness.Case{Meta: spec.Meta{
	ID:       "classic/class-missing",
	Checks:   "Claims of a missing ResourceClass are accepted but allocated only once it exists; the waiting pod names the reason.",
	Requires: []spec.RequirementID{"kep-3063/missing-class-accepted", "kep-3063/class-object", "kep-3063/claim-object"},
	Needs:    needs(1),
}, Run: func(t *harness.T) {
	c := classicdra.Start(t)
	d := c.Driver(classicdra.DriverConfig{Devices: 2})
	c.DeviceClass(d.Name(), d.Name())
	t.Create(claim("delayed", d.Name(), nil), claim("immediate", d.Name(), atOnce), c.Pod("pod", "delayed", "immediate"))
	t.WaitUnschedulable("pod", "resource class "+d.Name()+" does not exist")
	unallocated(t, "immediate")
	d.ResourceClass(d.Name(), nil)
	t.WaitScheduled("pod")
	t.Expect(d.Held()).To(gomega.HaveLen(2), "devices allocated to claims")
}}
