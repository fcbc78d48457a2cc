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
	"encoding/json"

	"github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/fabric"
	"github.com/dra-conformance/dratest/framework/spec"
)

// WrongToken removes the right token before a pod is created.
var WrongToken = harness.Case{Meta: spec.Meta{
	ID:       "fabric/wrong-token",
	Checks:   "While the fabric rejects the controller's token, nothing is attached and an event says why; a fixed token suffices.",
	Requires: []spec.RequirementID{"kep-5007/controller-prepares", "kep-5007/waits-for-conditions"},
	Needs:    needs(1),
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	c := fabric.Start(t, binding(1)).MayReport()
	c.WaitFree(1)
	c.Token(false)
	pod(t, class)
	t.WaitEvent("pod", "FabricUnavailable", "check the token")
	expectWaits(t)
	devices, err := c.Devices(t.Context())
	t.NoError(err, "look at the fabric")
	t.Expect(count(devices, free, "")).To(gomega.Equal(1), "free devices")
	c.Token(true)
	t.WaitScheduled("pod")
}}

// NoPermission denies the controller permission to report devices as attached.
var NoPermission = harness.Case{Meta: spec.Meta{
	ID:       "fabric/no-permission",
	Checks:   "A controller without permission for device status reports it in an event; once permitted, the pod is bound.",
	Requires: []spec.RequirementID{"kep-5007/waits-for-conditions", "kep-5007/controller-prepares"},
	Needs:    with(needs(1), spec.GranularStatusAuthorization),
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	c := fabric.Start(t, binding(2))
	c.WaitFree(2)
	pod(t, class)
	t.WaitEvent("pod", "StatusForbidden", "arbitrary-node:update")
	expectWaits(t)
	device := attachedOn(c.WaitDevices("attached", one(attached, t.Nodes[0])), t.Nodes[0])
	c.MayReport()
	t.WaitScheduled("pod")
	t.Expect(reportedDevice(t)).To(gomega.Equal(device), "the device in the claim's status is the attached one")
	devices, err := c.Devices(t.Context())
	t.NoError(err, "look at the fabric")
	t.Expect(count(devices, attached, "")).To(gomega.Equal(1), "attached devices")
	events, err := t.Client.CoreV1().Events(t.Namespace).List(t.Context(), metav1.ListOptions{FieldSelector: "reason=FailedScheduling"})
	t.NoError(err, "list events")
	t.Expect(events.Items).NotTo(gomega.ContainElement(gomega.HaveField("Message", gomega.ContainSubstring("device binding timeout"))), "the scheduler has not given up")
}}

// reportedDevice returns the fabric device in the status of the pod's claim.
func reportedDevice(t *harness.T) string {
	status := t.Claim("pod").Status.Devices
	t.Expect(status).To(gomega.HaveLen(1), "devices with a status")
	t.Expect(status[0].Data).NotTo(gomega.BeNil(), "data of the device's status")
	var reported struct {
		Device string `json:"device"`
	}
	t.NoError(json.Unmarshal(status[0].Data.Raw, &reported), "read the data of the device's status")
	return reported.Device
}

// with adds a feature to needs.
func with(n spec.Needs, feature spec.Feature) spec.Needs {
	n.Features = append(n.Features, feature)
	return n
}
