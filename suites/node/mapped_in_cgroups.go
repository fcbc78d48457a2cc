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
	"fmt"
	"strconv"
	"strings"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/kubelet"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// MappedInCgroups has containers read the memory limit of their own cgroups. The limits include the
// device's overhead per pod and per container, visible in the container. A container without the
// claim has its own limit.
var MappedInCgroups = harness.Case{Meta: spec.Meta{
	ID:       "node/mapped-in-cgroups",
	Checks:   "The cgroups of a pod and its containers allow their memory limits plus the memory of a claim's device.",
	Requires: []spec.RequirementID{"kep-5517/mapping-in-cgroups", "kep-5517/overhead-in-cgroups", "kep-5517/overhead-in-pod-cgroup"},
	Needs:    spec.Needs{Since: "1.37", Features: []spec.Feature{spec.NodeAllocatable}, Profile: profiles.Empty()},
	Catches:  []spec.MutantID{"driver-slices-without-mapping"},
}, Run: func(t *harness.T) {
	const own, mapped, perPod, perContainer = 64 << 20, 32 << 20, 8 << 20, 16 << 20
	quantity := func(bytes int64) *resource.Quantity { return resource.NewQuantity(bytes, resource.BinarySI) }
	profile := profiles.TwoDevices()
	maps := resourceapi.NodeAllocatableResource{Mapping: &resourceapi.NodeAllocatableMapping{DeviceMultiplier: quantity(mapped)}}
	costs := maps
	costs.Overhead = &resourceapi.NodeAllocatableOverhead{PerPod: quantity(perPod), PerContainer: quantity(perContainer)}
	for i, r := range []resourceapi.NodeAllocatableResource{maps, costs} {
		profile.Pools[0].Devices[i].NodeAllocatableResources = map[corev1.ResourceName]resourceapi.NodeAllocatableResource{corev1.ResourceMemory: r}
	}
	simdriver.Of(t).Publish(profile)
	class := t.CreateClass(nil)
	// Each container with a claim gets all of its memory, and the pod gets the pod's part only
	// once.
	for i, want := range []struct {
		main, other, pod int64
		others           []string // claims of the other container
	}{
		{own + mapped, own, 2*own + mapped, nil},
		{own + mapped + perPod + perContainer, own + mapped + perPod + perContainer, 2*own + mapped + perPod + 2*perContainer, []string{"device-1"}},
	} {
		name := fmt.Sprintf("device-%d", i)
		t.Create(objects.Claim(name, objects.Request("req", class, t.Attribute(profiles.Index)+" == "+strconv.Itoa(i))))
		pod := objects.Pod(name, t.Image, name)
		// Only one of the files exists, depending on the node's cgroup version.
		const show = "echo LIMIT=$(cat /sys/fs/cgroup/memory.max 2>/dev/null || cat /sys/fs/cgroup/memory/memory.limit_in_bytes); "
		pod.Spec.Containers = []corev1.Container{objects.Container("main", t.Image, show+objects.ShowAndStay, name), objects.Container("other", t.Image, show+objects.ShowAndStay, want.others...)}
		for c := range pod.Spec.Containers {
			pod.Spec.Containers[c].Resources.Limits = corev1.ResourceList{corev1.ResourceMemory: *quantity(own)}
		}
		running := t.RunPod(pod)
		t.Expect(limit(t, name, "main")).To(gomega.Equal(want.main), "limit of the container with %s", name)
		t.Expect(limit(t, name, "other")).To(gomega.Equal(want.other), "limit of the container beside the one with %s", name)
		t.Expect(kubelet.PodMemory(t, running)).To(gomega.Equal(want.pod), "limit of pod %s", name)
	}
}}

// limit parses the container's "LIMIT=" output.
func limit(t *harness.T, pod, container string) int64 {
	text := strings.TrimSpace(t.Environment(pod, container)["LIMIT"])
	bytes, err := strconv.ParseInt(text, 10, 64)
	t.NoError(err, "read the limit %q of container %s", text, container)
	return bytes
}
