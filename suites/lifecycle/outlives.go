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

package lifecycle

import (
	"fmt"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/undertest"
	"github.com/dra-conformance/dratest/framework/objects"
)

// Reasons for cases to run alone.
const (
	endsDriver   = "It kills the driver on a node, and pods of other cases need it, too."
	standsBefore = "It changes the calls to the driver of a node, also for claims of other cases."
)

// goesOn checks the pod's devices on a node, runs another pod with a device there, and releases
// both.
func goesOn(t *harness.T, driver *undertest.Driver, pod *corev1.Pod, claim *resourceapi.ResourceClaim) {
	t.Create(objects.Claim("next", t.Driver.Request("req")))
	t.RunPod(objects.OnlyOn(t.Pod("next", "next"), pod.Spec.NodeName))
	next := t.WaitAllocated("next")
	t.Driver.ExpectDevices("next", "main", next)
	t.Expect(t.WaitRunning(pod.Name).Status.ContainerStatuses[0].RestartCount).To(gomega.BeZero(), "restarts of the first pod's container")
	t.Driver.ExpectHeld(claim)
	t.RemovePod(pod.Name)
	t.RemovePod("next")
	t.AwaitReleased(claim.Name)
	t.AwaitReleased("next")
	driver.ExpectNothingLeft(pod.Spec.NodeName, claim, next)
}

// again runs pods on a node until one gets the device of an earlier claim.
func again(t *harness.T, claim *resourceapi.ResourceClaim, node string) {
	const most = 16
	had := claim.Status.Allocation.Devices.Results[0]
	for n := range most {
		name := fmt.Sprintf("next-%d", n)
		t.Create(objects.Claim(name, t.Driver.Request("req")))
		t.RunPod(objects.OnlyOn(t.Pod(name, name), node))
		next := t.WaitAllocated(name)
		t.Driver.ExpectDevices(name, "main", next)
		if has := next.Status.Allocation.Devices.Results[0]; has.Pool == had.Pool && has.Device == had.Device {
			return
		}
	}
	t.Fatalf("%d pods ran on %s, and none was given device %s/%s again", most, node, had.Pool, had.Device)
}

// noMore ends the case if there are more sockets than before.
func noMore(t *harness.T, before, after []string) {
	t.Expect(len(after)).To(gomega.BeNumerically("<=", len(before)), "sockets of the driver, %v before and %v now", before, after)
}
