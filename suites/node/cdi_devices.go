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
	"strings"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/kubelet"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// CDIDevices compares the driver's answer with the devices seen by the container runtime. CDI files
// may be written right before the answer. With an unknown CDI device no container starts.
var CDIDevices = harness.Case{Meta: spec.Meta{
	ID:       "node/cdi-devices",
	Checks:   "The kubelet passes the CDI devices of a driver's answer to the container runtime.",
	Requires: []spec.RequirementID{"kep-4381/cri-cdi-devices", "kep-4381/runtime-reads-cdi", "kep-4381/runtime-supports-cdi", "kubeletplugin/runtime-reloads-cdi", "kubeletplugin/cdi-on-the-fly"},
	Needs:    spec.Needs{Profile: profiles.FourDevices()},
	Catches:  []spec.MutantID{"driver-prepare-other-device", "driver-prepare-wrong-device", "driver-prepare-nothing-done", "driver-prepare-no-cdi"},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	two := objects.Request("two", class)
	two.Exactly.Count = 2
	t.Create(objects.Claim("claim", objects.Request("one", class), two), objects.Claim("missing", objects.Request("req", class)))
	simdriver.Of(t).Fail(spec.Fault{Method: spec.Prepare, Kind: spec.FaultWrongDevice, Claim: "missing"})
	pod := objects.Pod("pod", t.Image, "claim")
	pod.Spec.Containers = append(pod.Spec.Containers, objects.Container("none", t.Image, objects.ShowAndStay))

	pod = t.RunPod(pod)

	answered := simdriver.Of(t).Calls(spec.Prepare, "claim")[0].Claims[0].CDIDevices
	t.Expect(answered).To(gomega.HaveLen(3), "CDI devices of the driver's answer")
	t.Expect(kubelet.CDIDevices(t, pod, "main")).To(gomega.ConsistOf(answered), "CDI devices of the container with the claim, as reported by the runtime")
	t.Expect(kubelet.CDIDevices(t, pod, "none")).To(gomega.BeEmpty(), "CDI devices of a container without claims, as reported by the runtime")
	var devices []string
	for _, r := range t.Claim("claim").Status.Allocation.Devices.Results {
		devices = append(devices, r.Device)
	}
	t.Expect(t.Environment("pod", "main")).To(matchers.SeeOnlyDevices(devices...), "environment from the CDI files, in the container")
	t.Expect(t.Environment("pod", "none")).To(matchers.SeeNothing(), "devices visible to a container without claims")

	t.Create(objects.Pod("missing", t.Image, "missing"))
	t.WaitPod("missing", "refused by the container runtime", func(p *corev1.Pod) (bool, error) {
		for _, s := range p.Status.ContainerStatuses {
			if w := s.State.Waiting; w != nil && w.Reason == "CreateContainerError" {
				return strings.Contains(w.Message, "-does-not-exist"), nil
			}
		}
		return false, nil
	})
}}
