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

package node

import (
	"time"

	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/kubelet"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// DriverAfterKubelet restarts the kubelet below a running driver. All resources are released with
// the pods.
var DriverAfterKubelet = harness.Case{Meta: spec.Meta{
	ID:       "node/driver-after-kubelet",
	Checks:   "A driver registers again with a restarted kubelet, running pods keep their devices and new pods get theirs.",
	Requires: []spec.RequirementID{"kep-4381/registration", "kep-4381/kubelet-failure-spares-running-pods"},
	Needs:    spec.Needs{Profile: profiles.TwoDevices(), Devices: 2, Disruption: true},
	WaitsFor: "A starting kubelet removes the node's slices, and the driver library checks for its own only 30 s later " +
		"(k8s.io/dynamic-resource-allocation v0.37.1 resourceslice).",
	SerialBecause: restartsKubelet,
	HoldsNode:     true,
	Timeout:       4 * time.Minute,
}, Run: func(t *harness.T) {
	t.Create(objects.Claim("claim", t.Driver.Request("req")), objects.Claim("next", t.Driver.Request("req")))
	node := t.RunPod(t.Pod("pod", "claim")).Spec.NodeName

	kubelet.Restart(t, node)

	t.RunPod(objects.OnlyOn(t.Pod("next", "next"), node))
	t.Expect(t.WaitRunning("pod").Status.ContainerStatuses[0].RestartCount).To(gomega.BeZero(), "restarts of the first pod's container")
	claim := t.WaitAllocated("claim")
	t.Driver.ExpectDevices("pod", "main", claim)
	t.Driver.ExpectDevices("next", "main", t.WaitAllocated("next"))
	t.Driver.ExpectHeld(claim)
	t.RemovePod("pod")
	t.RemovePod("next")
	t.AwaitReleased("claim")
}}
