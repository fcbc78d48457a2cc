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
	"fmt"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/scheduler"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// PoolGenerations replaces the two slices of a pool one after the other.
var PoolGenerations = harness.Case{Meta: spec.Meta{
	ID:       "allocation/pool-generations",
	Checks:   "A pool is allocated from only while all slices of its newest generation exist.",
	Requires: []spec.RequirementID{"kep-4381/highest-generation-only", "kep-4381/pool-of-several-slices", "kep-4381/slice-change-retries"},
	Needs:    spec.Needs{NoKubelet: true},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	part := func(generation int64, name string) *resourceapi.ResourceSlice {
		s := t.Slice("pool", t.Nodes[0], device(name, nil))
		s.Name = fmt.Sprintf("%s-%s", name, t.DriverName())
		s.Spec.Pool.Generation, s.Spec.Pool.ResourceSliceCount = generation, 2
		return s
	}

	t.Create(part(1, "a-old"))
	scheduler.AwaitSeen(t)
	wait(t, objects.Claim("half", objects.Request("req", class)))
	t.Create(part(1, "b-old"))
	t.Expect(retried(t, "half")).To(matchers.HaveDevices("a-old"), "device of the first slice")
	t.Expect(use(t, objects.Claim("whole", objects.Request("req", class)))).To(matchers.HaveDevices("b-old"), "device of the second slice")
	release(t, "half")
	release(t, "whole")

	t.Create(part(2, "a-new"))
	scheduler.AwaitSeen(t)
	wait(t, objects.Claim("between", objects.Request("req", class)))
	t.Create(objects.Claim("all-between", all("req", class)), objects.Pod("all-between", t.Image, "all-between"))
	t.WaitUnschedulable("all-between", "")
	t.RemovePod("all-between")
	t.Create(part(2, "b-new"))
	t.Expect(retried(t, "between")).To(matchers.HaveDevices("a-new"), "device of the new generation")
	t.Expect(use(t, objects.Claim("after", objects.Request("req", class)))).To(matchers.HaveDevices("b-new"), "other device of the new generation")
	wait(t, objects.Claim("too-many", objects.Request("req", class)))
}}
