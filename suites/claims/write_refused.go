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

package claims

import (
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// WriteRefused keeps the scheduler from writing an allocation.
var WriteRefused = harness.Case{Meta: spec.Meta{
	ID:       "claims/write-refused",
	Checks:   "If an allocation cannot be written, the pod is not bound and reports why; the device stays free for others.",
	Requires: []spec.RequirementID{"kep-4381/status-write-retried", "kep-4381/in-flight-released"},
	Needs:    spec.Needs{NoKubelet: true},
}, Run: func(t *harness.T) {
	class := devices(t, t.Nodes[0], 1)
	t.Create(objects.Claim("refused", objects.Request("req", class)))
	allow := refuse(t, "refused")
	t.Create(objects.Pod("refused", t.Image, "refused"))
	t.WaitEvent("refused", "FailedScheduling", "no status for this claim")

	t.Create(objects.Claim("other", objects.Request("req", class)), objects.Pod("other", t.Image, "other"))
	t.WaitScheduled("other")
	t.Expect(t.Claim("other")).To(matchers.HaveDevices("device-0"), "device chosen before")
	t.Expect(t.Claim("refused").Status).To(gomega.Equal(resourceapi.ResourceClaimStatus{}), "rejected status")
	allow()
	t.RemovePod("other")
	t.WaitDeallocated("other")
	pod := t.WaitScheduled("refused")
	t.Expect(t.Claim("refused")).To(matchers.BeReservedFor(pod), "reservations when it can be written")
}}
