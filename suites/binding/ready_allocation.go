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

package binding

import (
	"time"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/scheduler"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ReadyAllocation schedules a pod with a claim allocated a day ago by another scheduler; its device
// has become ready since.
var ReadyAllocation = harness.Case{Meta: spec.Meta{
	ID:       "binding/ready-allocation",
	Checks:   "If another scheduler allocated a claim and its device is ready, a pod using the claim is bound with that allocation.",
	Requires: []spec.RequirementID{"kep-5007/restart-recovers"},
	Needs:    spec.Needs{NoKubelet: true, Features: features(), Nodes: 2},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Publish("other", t.Nodes[1], resourceapi.Device{Name: "other"})
	at := allocatedAgo(t, objects.Claim("claim", objects.Request("req", class)), t.Nodes[0], 24*time.Hour, resourceapi.DeviceRequestAllocationResult{
		Request: "req", Driver: t.DriverName(), Pool: "pool", Device: "device",
		BindingConditions: []string{profiles.Attached, profiles.Configured}, BindingFailureConditions: []string{profiles.AttachFailed},
	})
	set(t, "claim", "device", profiles.Attached, profiles.Configured)
	scheduler.AwaitSeen(t)
	t.Create(objects.Pod("pod", t.Image, "claim"))
	pod := t.WaitScheduled("pod")
	t.Expect(pod.Spec.NodeName).To(gomega.Equal(t.Nodes[0]), "node of the pod")
	claim := t.Claim("claim")
	t.Expect(claim).To(matchers.BeReservedFor(pod), "consumers of the claim")
	t.Expect(claim.Status.Allocation.AllocationTimestamp.Time).To(gomega.BeTemporally("==", at), "time of the allocation")
}}
