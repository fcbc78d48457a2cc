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

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/fabric"
	"github.com/dra-conformance/dratest/framework/spec"
)

// TooLate attaches the first device only after the scheduler has given it up.
var TooLate = harness.Case{Meta: spec.Meta{
	ID:       "fabric/attached-too-late",
	Checks:   "A device not attached within the binding timeout is given up for another one, and detached once it arrives.",
	Requires: []spec.RequirementID{"kep-5007/timeout-reschedules", "kep-5007/unused-devices-detached", "kep-5007/waits-for-conditions"},
	Needs:    timed(needs(1)),
	WaitsFor: "The scheduler waits for binding conditions until its bindingTimeout: 20 s in clusters created by dratest, 10 minutes by default.",
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	wanted := binding(2)
	wanted.DetachAfter = 20 * time.Second // long enough to see both devices attached
	c := fabric.Start(t, wanted).MayReport()
	c.WaitFree(2)
	c.Say(spec.AttachRule{Times: 1, Takes: t.Target().BindingTimeout + 10*time.Second})
	pod(t, class)
	late := c.WaitDevices("on the way", one("Attaching", t.Nodes[0]))
	t.WaitScheduled("pod")
	t.WaitEvent("pod", "FailedScheduling", "device binding timeout")
	t.Expect(late[reportedDevice(t)].Phase).To(gomega.Equal(free), "the pod's device while the late one was being attached")
	c.WaitDevices("one attached for the pod, the late one there for nobody", func(d map[string]spec.FabricDevice) bool {
		return count(d, attached, t.Nodes[0]) == 2
	})
	c.WaitNothingLeft()
	c.WaitFree(1)
}}

// timed returns needs for waiting out the scheduler's binding timeout.
func timed(n spec.Needs) spec.Needs {
	n.BindingTimeout = 30 * time.Second
	return n
}
