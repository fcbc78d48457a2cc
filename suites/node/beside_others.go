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
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// BesideOthers combines DRA with a device plugin, a volume and a variable with the node's name. A
// second container of the pod names no claim and gets all but its device. The node's capacity
// counts only the device plugin's devices.
var BesideOthers = harness.Case{Meta: spec.Meta{
	ID:     "node/beside-others",
	Checks: "A container can use a claim's device together with a device plugin's device, a volume and the downward API.",
	Requires: []spec.RequirementID{
		"kep-4381/other-resources-untouched", "kep-5004/device-plugins-untouched", "kep-5004/unused-without-effect",
	},
	Needs:   spec.Needs{Profile: profiles.OneDevice()},
	Catches: []spec.MutantID{"driver-prepare-other-device", "driver-prepare-nothing-done"},
}, Run: func(t *harness.T) {
	counted := t.DriverName() + "/counted"
	simdriver.Of(t).OfferOn(t.Nodes[0], spec.DevicePlugin{Resource: counted, Devices: []string{"first", "second"}})
	t.Create(objects.Claim("claim", objects.Request("req", t.CreateClass(nil))))
	pod := objects.Pod("pod", t.Image, "claim")
	pod.Spec.Containers = append(pod.Spec.Containers, objects.Container("other", t.Image, objects.ShowAndStay))
	pod.Spec.Volumes = []corev1.Volume{{Name: "scratch", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}}
	for i := range pod.Spec.Containers {
		c := &pod.Spec.Containers[i]
		*c = objects.Wants(*c, map[string]int64{counted: 1})
		c.Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("10m")}
		c.VolumeMounts = []corev1.VolumeMount{{Name: "scratch", MountPath: "/scratch"}}
		c.Env = []corev1.EnvVar{{Name: "NODE", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "spec.nodeName"}}}}
		c.Command[2] = "touch /scratch/" + c.Name + " && " + c.Command[2]
	}

	pod = t.RunPod(pod)

	env, other := t.Environment("pod", "main"), t.Environment("pod", "other")
	t.Expect(env).To(matchers.SeeOnlyDevices("device-0"), "device of the claim in the container referring to it")
	t.Expect(matchers.DevicesIn(other)).To(gomega.BeEmpty(), "device of the claim in the other container")
	const plugin = "dratest_device_plugin"
	t.Expect([]string{env[plugin], other[plugin]}).To(gomega.ConsistOf("first", "second"), "devices of the device plugin in the two containers")
	t.Expect([]string{env["NODE"], other["NODE"]}).To(gomega.HaveEach(pod.Spec.NodeName), "variable of the two containers")
	t.Expect(pod.Status.ExtendedResourceClaimStatus).To(gomega.BeNil(), "the special claim of a pod without extended resources of DRA")
	t.Expect(t.Claims()).To(gomega.HaveLen(1), "claims in the namespace")
	node, err := t.Client.CoreV1().Nodes().Get(t.Context(), pod.Spec.NodeName, metav1.GetOptions{})
	t.NoError(err, "get the node")
	for name, quantity := range node.Status.Capacity {
		if string(name) == counted {
			t.Expect(quantity.Value()).To(gomega.BeEquivalentTo(2), "the device plugin's devices in the node's capacity")
		} else {
			t.Expect(string(name)).NotTo(gomega.ContainSubstring(t.DriverName()), "resources in the node's capacity")
		}
	}
}}
