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

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/fabric"
	"github.com/dra-conformance/dratest/framework/spec"
)

// FailureRetried lets the first attachment fail.
var FailureRetried = harness.Case{Meta: spec.Meta{
	ID:       "fabric/failure-retried",
	Checks:   "If attaching a device fails, the scheduler gives up the allocation and the pod is bound with a newly attached device.",
	Requires: []spec.RequirementID{"kep-5007/failure-in-status", "kep-5007/failure-reschedules", "kep-5007/failed-device-free"},
	Needs:    needs(2),
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	c := fabric.Start(t, binding(2)).MayReport()
	c.WaitFree(2)
	c.Say(spec.AttachRule{Times: 1, Fail: "no free port"})
	pod(t, class)
	node := t.WaitScheduled("pod").Spec.NodeName
	t.WaitEvent("pod", "FailedScheduling", "no free port")
	devices, err := c.Devices(t.Context())
	t.NoError(err, "look at the fabric")
	t.Expect(count(devices, attached, node)).To(gomega.Equal(1), "devices attached to the pod's node")
	t.Expect(count(devices, free, "")).To(gomega.Equal(1), "free devices, including the failed one")
	c.WaitFree(1)
}}
