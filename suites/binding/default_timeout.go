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
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// DefaultTimeout starts a scheduler with default configuration slightly before and after the
// default timeout of the allocations.
var DefaultTimeout = harness.Case{Meta: spec.Meta{
	ID:       "binding/default-timeout",
	Checks:   "By default the scheduler gives an allocation up 10 minutes after it was made if its device is not ready.",
	Requires: []spec.RequirementID{"kep-5007/timeout-10-minutes"},
	Needs:    spec.Needs{NoKubelet: true, Features: features(), Nodes: 2, DefaultsProfile: true},
	WaitsFor: "The scheduler checks the conditions of a waiting pod every 5 s. The case waits for the rest of 10 minutes once its pod must have been tried.",
	Timeout:  3 * time.Minute,
}, Run: func(t *harness.T) {
	const byDefault, left = 10 * time.Minute, 40 * time.Second
	silent, other := t.Nodes[0], t.Nodes[1]
	class := t.CreateClass(nil)
	t.Publish("other", other, resourceapi.Device{Name: "a"}, resourceapi.Device{Name: "b"})
	allocated := func(name string, ago time.Duration) time.Time {
		return allocatedAgo(t, objects.Claim(name, objects.Request("req", class)), silent, ago, resourceapi.DeviceRequestAllocationResult{
			Request: "req", Driver: t.DriverName(), Pool: "silent", Device: name,
			BindingConditions: []string{profiles.Attached}, BindingFailureConditions: []string{profiles.AttachFailed},
		})
	}
	allocated("older", byDefault+betweenLooks)
	at := allocated("younger", byDefault-left)
	scheduler.AwaitSeen(t)
	for _, name := range []string{"younger", "older"} {
		pod := objects.Pod(name, t.Image, name)
		pod.Spec.SchedulerName = t.Target().DefaultsProfile // default configuration
		t.Create(pod)
	}

	t.Expect(t.WaitScheduled("older").Spec.NodeName).To(gomega.Equal(other), "node of the pod after the timeout")
	t.Expect(t.Events("older")).NotTo(gomega.ContainElement(gomega.HavePrefix("BindingConditionsPending")), "events of the pod after the timeout")
	t.WaitEvent("younger", "BindingConditionsPending", silent)
	gaveUp := t.WaitEvent("younger", "FailedScheduling", "device binding timeout")
	// API times have no fractions of a second.
	t.Expect(gaveUp.Sub(at)).To(gomega.And(gomega.BeNumerically(">=", byDefault-time.Second), gomega.BeNumerically("<", byDefault+3*betweenLooks)),
		"waiting time of the scheduler")
	t.Expect(t.WaitScheduled("younger").Spec.NodeName).To(gomega.Equal(other), "node of the pod waiting for its device")
}}
