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
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ResizedInPlace changes the CPU resources of a running container with a claim. The next container
// has the device, too. A resize removing the claim is rejected.
var ResizedInPlace = harness.Case{Meta: spec.Meta{
	ID:       "node/resized-in-place",
	Checks:   "An in-place resize keeps the container's device, restarts nothing and does not touch its claim.",
	Requires: []spec.RequirementID{"core-v1/container-claims-immutable", "kep-4381/cdi-into-container", "kep-4381/unprepare-after-last"},
	Needs:    spec.Needs{Since: "1.35", Profile: profiles.OneDevice()},
	Catches:  []spec.MutantID{"driver-prepare-other-device"},
}, Run: func(t *harness.T) {
	t.Create(objects.Claim("claim", objects.Request("req", t.CreateClass(nil))))
	pod := objects.Pod("pod", t.Image, "claim")
	pod.Spec.RestartPolicy = corev1.RestartPolicyAlways
	pod.Spec.Containers[0].Resources.Limits = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("100m")}
	pod.Spec.Containers[0].Resources.Requests = pod.Spec.Containers[0].Resources.Limits
	t.RunPod(pod)
	resize := func(patch string) error {
		_, err := t.Client.CoreV1().Pods(t.Namespace).Patch(t.Context(), "pod", types.JSONPatchType, []byte(patch), metav1.PatchOptions{}, "resize")
		return err
	}

	t.NoError(resize(`[{"op": "replace", "path": "/spec/containers/0/resources/limits", "value": {"cpu": "200m"}},
		{"op": "replace", "path": "/spec/containers/0/resources/requests", "value": {"cpu": "200m"}}]`), "resize the container")
	resized := t.WaitPod("pod", "resized", func(p *corev1.Pod) (bool, error) {
		r := p.Status.ContainerStatuses[0].Resources
		return r != nil && r.Limits.Cpu().MilliValue() == 200, nil
	})
	t.Expect(resized.Status.ContainerStatuses[0].RestartCount).To(gomega.BeZero(), "restarts of the container")
	t.Expect(resize(`[{"op": "remove", "path": "/spec/containers/0/resources/claims"}]`)).To(gomega.MatchError(gomega.ContainSubstring("spec")),
		"a resize removing the claim")

	t.EndContainer("pod", "main")
	t.WaitRunningAgain("pod", 0)
	t.Expect(t.Environment("pod", "main")).To(matchers.SeeDevices("claim", "req", "device-0"), "the device of the next container")
	simdriver.Of(t).ExpectCalls(spec.Prepare, "claim", 1, "")
	simdriver.Of(t).ExpectCalls(spec.Unprepare, "claim", 0, "")
}}
