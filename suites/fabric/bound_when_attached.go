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
	"time"

	"github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/fabric"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// BoundWhenAttached attaches one of two devices within three seconds. The other one is attached and
// released later: a controller mistaking the first one for idle would detach it first.
var BoundWhenAttached = harness.Case{Meta: spec.Meta{
	ID:     "fabric/bound-when-attached",
	Checks: "A pod with a free fabric device is bound once it is attached, and the device stays attached while in use.",
	Requires: []spec.RequirementID{"kep-5007/waits-for-conditions", "kep-5007/controller-prepares", "kep-5007/free-devices-published",
		"kep-5007/attached-device-leaves-pool", "kep-5007/pool-per-model", "kep-5007/binds-to-node"},
	Needs: needs(2),
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	wanted := binding(2)
	wanted.DetachAfter = 2 * time.Second
	c := fabric.Start(t, wanted).MayReport()
	c.WaitFree(2)
	expectPool(t)
	c.Say(spec.AttachRule{Takes: 3 * time.Second})
	pod(t, class)

	node := t.WaitScheduled("pod").Spec.NodeName
	devices, err := c.Devices(t.Context())
	t.NoError(err, "look at the fabric")
	t.Expect(count(devices, attached, node)).To(gomega.Equal(1), "devices attached to the pod's node when it is bound")
	c.WaitFree(1)
	device := reportedDevice(t)
	t.Expect(devices[device].Node).To(gomega.Equal(node), "node of device %q in the claim's status", device)

	claim := objects.Claim("other", objects.Request("req", class))
	t.Create(claim, objects.OnlyOn(objects.Pod("other", t.Image, "other"), t.Nodes...))
	t.WaitScheduled("other")
	c.WaitFree(0)
	t.RemovePod("other")
	t.Delete(claim)
	c.WaitDevices("one attached, one free", func(d map[string]spec.FabricDevice) bool {
		return count(d, attached, "") == 1 && count(d, free, "") == 1
	})
	devices, err = c.Devices(t.Context())
	t.NoError(err, "look at the fabric")
	t.Expect(devices[device].Phase).To(gomega.Equal(attached), "the device of the pod")
	t.Expect(devices[device].Node).To(gomega.Equal(node), "node of the device of the pod")
}}

// expectPool expects free devices in the pool of their model.
func expectPool(t *harness.T) {
	list, err := t.Client.ResourceV1().ResourceSlices().List(t.Context(), metav1.ListOptions{FieldSelector: "spec.driver=" + t.DriverName()})
	t.NoError(err, "list the slices")
	for _, slice := range list.Items {
		t.Expect(slice.Spec.Pool.Name).To(gomega.Equal("fabric/"+spec.FabricModel), "pool of slice %s", slice.Name)
		for _, d := range slice.Spec.Devices {
			t.Expect(d.Attributes).To(gomega.HaveKey(gomega.BeEquivalentTo("model")), "attributes of device %s", d.Name)
			t.Expect(d.Attributes["model"].StringValue).To(gomega.HaveValue(gomega.Equal(spec.FabricModel)), "model of device %s", d.Name)
		}
	}
}
