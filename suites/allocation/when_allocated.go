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
	"context"
	"time"

	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// WhenAllocated reads when allocations were made.
var WhenAllocated = harness.Case{Meta: spec.Meta{
	ID:       "allocation/when-allocated",
	Checks:   "An allocation has its timestamp; this stays when another pod joins, and a new allocation has a later one.",
	Requires: []spec.RequirementID{"kep-5007/allocation-timestamp-set"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.BindingConditions, spec.DeviceStatus}},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Publish("pool", t.Nodes[0], device("device", nil))
	made := func() time.Time {
		at := t.WaitAllocated("claim").Status.Allocation.AllocationTimestamp
		t.Expect(at).NotTo(gomega.BeNil(), "time of the allocation")
		return at.Time
	}
	create := func(name string) time.Time {
		t.Create(objects.Pod(name, t.Image, "claim"))
		return t.WaitScheduled(name).CreationTimestamp.Time
	}
	t.Create(objects.Claim("claim", objects.Request("req", class)))
	created := create("first")
	first, seen := made(), time.Now()
	joined := create("second")
	t.Expect(made()).To(gomega.Equal(first), "time of the allocation after another pod has joined")
	// All times are whole seconds, by the clocks of the API server and the scheduler.
	const skew = 2 * time.Second
	t.Expect(first).To(gomega.BeTemporally(">=", created.Add(-skew)), "time of the allocation, after the creation of its pod")
	t.Expect(first).To(gomega.BeTemporally("<=", joined.Add(skew)), "time of the allocation, before the next pod was created")

	t.RemovePod("first")
	t.RemovePod("second")
	t.WaitDeallocated("claim")
	t.Poll("a second to pass, as times are of whole seconds", func(context.Context) (bool, string, error) {
		return time.Since(seen) > time.Second, time.Since(seen).String(), nil
	})
	create("third")
	t.Expect(made()).To(gomega.BeTemporally(">", first), "time of the new allocation")
}}
