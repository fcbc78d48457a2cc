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

package fabric

import (
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/harness/fabric"
	"github.com/dra-conformance/dratest/framework/spec"
)

// EarlierAllocation leaves the device of an earlier allocation in the claim's status, like a
// controller killed in between.
var EarlierAllocation = harness.Case{Meta: spec.Meta{
	ID:       "fabric/told-for-earlier-allocation",
	Checks:   "Device status of an earlier allocation is ignored: a device is attached and reported for the current one.",
	Requires: []spec.RequirementID{"kep-5007/controller-prepares", "kep-5007/waits-for-conditions"},
	Needs:    needs(1),
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	c := fabric.Start(t, binding(2)).MayReport()
	c.WaitFree(2)
	c.End(spec.FabricController)
	pod(t, class)
	t.WaitAllocated("pod")
	edit.ClaimStatus(t, "pod", func(claim *resourceapi.ResourceClaim) {
		r := claim.Status.Allocation.Devices.Results[0]
		claim.Status.Devices = []resourceapi.AllocatedDeviceStatus{{
			Driver: r.Driver, Pool: r.Pool, Device: r.Device,
			Conditions: []metav1.Condition{{Type: r.BindingConditions[0], Status: metav1.ConditionFalse, Reason: "NotPublishedYet", Message: "of an earlier allocation", LastTransitionTime: metav1.Now()}},
			Data:       &runtime.RawExtension{Raw: []byte(`{"key": "of an earlier allocation", "node": "` + t.Nodes[0] + `", "device": "gpu-1"}`)},
		}}
	})
	expectWaits(t)
	devices, err := c.Devices(t.Context())
	t.NoError(err, "look at the fabric")
	t.Expect(count(devices, free, "")).To(gomega.Equal(2), "free devices while the controller is away")
	c.Begin(spec.FabricController)
	t.WaitScheduled("pod")
	devices, err = c.Devices(t.Context())
	t.NoError(err, "look at the fabric")
	t.Expect(reportedDevice(t)).To(gomega.Equal(attachedOn(devices, t.Nodes[0])), "the device in the claim's status is the attached one")
}}
