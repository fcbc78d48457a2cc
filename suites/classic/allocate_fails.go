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

// AllocateFails fails twice.
var AllocateFails = harness.Case{Meta: spec.Meta{
	ID:       "classic/allocate-fails",
	Checks:   "A failed allocation is reported in an event and retried; the pod is scheduled once it succeeds.",
	Requires: []spec.RequirementID{"kep-3063/failed-steps-retried", "kep-3063/driver-finalizer"},
	Needs:    needs(1),
}, Run: func(t *harness.T) {
	c := classicdra.Start(t)
	d := c.Driver(classicdra.DriverConfig{Devices: 1, FailAllocate: 2})
	t.Create(claim("claim", d.Class("", nil), nil), c.Pod("pod", "claim"))
	t.WaitEvent("claim", "Failed", "allocating fails on purpose")
	t.WaitScheduled("pod")
	t.Expect(d.Held()).To(gomega.HaveLen(1), "devices allocated to claims")
}}
