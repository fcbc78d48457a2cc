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

package extended

import (
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/admission"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// QuotaOfBothKinds limits an extended resource served by a device plugin on one node, and by DRA on
// another. A rejected pod is accepted once another is gone.
var QuotaOfBothKinds = harness.Case{Meta: spec.Meta{
	ID:       "extended/quota-of-both-kinds",
	Checks:   "An extended resource quota counts each pod once, with a device plugin as with DRA.",
	Requires: []spec.RequirementID{"kep-5004/quota-counts-both-kinds"},
	Needs:    spec.Needs{Features: []spec.Feature{spec.ExtendedResource}, Since: "1.37", Profile: profiles.TwoDevices(), Nodes: 2},
}, Run: func(t *harness.T) {
	name := createClass(t)
	limit := corev1.ResourceName("requests." + name)
	pod := func(pod, node string, number int64) *corev1.Pod {
		return objects.OnlyOn(objects.PodWanting(pod, t.Image, map[string]int64{name: number}), node)
	}
	plugin, dra := t.Nodes[0], t.Nodes[1]
	simdriver.Of(t).PublishOn(plugin, profiles.Empty())
	simdriver.Of(t).OfferOn(plugin, spec.DevicePlugin{Resource: name, Devices: []string{"counted"}})
	admission.CreateQuota(t, "quota", corev1.ResourceList{limit: resource.MustParse("3")}, pod("beyond", dra, 4))
	used := func(number int64) { admission.WaitUsed(t, "quota", map[corev1.ResourceName]int64{limit: number}) }

	t.Expect(t.RunPod(pod("plugin", plugin, 1)).Status.ExtendedResourceClaimStatus).To(gomega.BeNil(), "the claim of the pod served by the device plugin")
	used(1)
	t.Expect(t.RunPod(pod("dra", dra, 2)).Status.ExtendedResourceClaimStatus).NotTo(gomega.BeNil(), "the claim of the pod served by DRA")
	used(3)
	late := pod("late", dra, 2)
	_, err := t.Client.CoreV1().Pods(t.Namespace).Create(t.Context(), late, metav1.CreateOptions{})
	t.Expect(err).To(gomega.MatchError(gomega.ContainSubstring("exceeded quota: quota")), "a pod beyond the quota")

	t.RemovePod("dra")
	used(1)
	admission.WaitAccepted(t, late)
	t.RunPod(late)
	used(3)
}}
