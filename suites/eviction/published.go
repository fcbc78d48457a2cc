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

package eviction

import (
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/objects"
)

// users publishes a pool on a node and runs a pod with a claim of the same name for each device.
func users(t *harness.T, class, pool, node string, names ...string) {
	var devices []resourceapi.Device
	for _, name := range names {
		devices = append(devices, named(name))
	}
	t.Publish(pool, node, devices...)
	for _, name := range names {
		tolerant(t, class, name)
	}
}

// tolerant creates a pod and a claim for a device, all of the same name, with these tolerations,
// and waits until the pod is scheduled.
func tolerant(t *harness.T, class, name string, tolerations ...resourceapi.DeviceToleration) {
	claim := claimFor(t, class, name)
	claim.Spec.Devices.Requests[0].Exactly.Tolerations = tolerations
	t.Create(claim, objects.Pod(name, t.Image, name))
	t.WaitScheduled(name)
}

// claimFor returns a claim for the device of its name.
func claimFor(t *harness.T, class, name string) *resourceapi.ResourceClaim {
	return objects.Claim(name, objects.Request("req", class, t.Attribute("name")+" == '"+name+"'"))
}

// forSeconds tolerates all NoExecute taints for a time.
func forSeconds(seconds int64) resourceapi.DeviceToleration {
	return resourceapi.DeviceToleration{Operator: resourceapi.DeviceTolerationOpExists, Effect: resourceapi.DeviceTaintEffectNoExecute, TolerationSeconds: &seconds}
}

// named returns a device with its name in an attribute.
func named(name string) resourceapi.Device {
	return resourceapi.Device{Name: name, Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"name": {StringValue: &name}}}
}

// taint adds a taint to each named device of a pool published by the case.
func taint(t *harness.T, pool string, taints map[string]resourceapi.DeviceTaint) {
	edit.Slice(t, pool+"-"+t.DriverName(), func(s *resourceapi.ResourceSlice) {
		for i := range s.Spec.Devices {
			if taint, ok := taints[s.Spec.Devices[i].Name]; ok {
				s.Spec.Devices[i].Taints = append(s.Spec.Devices[i].Taints, taint)
			}
		}
	})
}

// stays fails the case if a pod is gone or being deleted.
func stays(t *harness.T, names ...string) {
	for _, name := range names {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: t.Namespace}}
		t.Get(pod)
		t.Expect(pod.DeletionTimestamp).To(gomega.BeNil(), "deletion of pod %s", name)
	}
}
