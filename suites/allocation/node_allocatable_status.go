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

package allocation

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// NodeAllocatableStatus uses devices with mappings or overhead for several node resources.
var NodeAllocatableStatus = harness.Case{Meta: spec.Meta{
	ID:       "allocation/node-allocatable-status",
	Checks:   "A pod's status has the node resources and overhead of each of its claims with such devices.",
	Requires: []spec.RequirementID{"kep-5517/status-by-claim"},
	Needs:    spec.Needs{NoKubelet: true, Since: "1.37", Features: []spec.Feature{spec.NodeAllocatable}},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	maps := func(amount string) *resourceapi.NodeAllocatableMapping {
		return &resourceapi.NodeAllocatableMapping{DeviceMultiplier: ptr.To(resource.MustParse(amount))}
	}
	costs := &resourceapi.NodeAllocatableOverhead{PerPod: ptr.To(resource.MustParse("5Mi")), PerContainer: ptr.To(resource.MustParse("3Mi"))}
	of := func(name string, cpu, memory resourceapi.NodeAllocatableResource) resourceapi.Device {
		d := standing(name, memory)
		d.NodeAllocatableResources[corev1.ResourceCPU] = cpu
		return d
	}
	perPod := resourceapi.NodeAllocatableResource{Overhead: &resourceapi.NodeAllocatableOverhead{PerPod: ptr.To(resource.MustParse("20m"))}}
	t.Publish("pool", t.Nodes[0],
		of("maps", resourceapi.NodeAllocatableResource{Mapping: maps("100m")}, resourceapi.NodeAllocatableResource{Mapping: maps("10Mi")}),
		of("costs", perPod, resourceapi.NodeAllocatableResource{Overhead: costs}),
		of("both", resourceapi.NodeAllocatableResource{Mapping: maps("10m")}, resourceapi.NodeAllocatableResource{Mapping: maps("10Mi"), Overhead: costs}))
	request := func(device string) resourceapi.DeviceRequest {
		return objects.Request("req", class, t.Attribute("name")+" == '"+device+"'")
	}

	t.Create(objects.Claim("maps", request("maps")), twice(t, "maps", "maps"))
	t.Expect(stood(t.WaitScheduled("maps"))).To(gomega.Equal([]string{"maps for main, second: cpu 100m, memory 10Mi"}), "status of the pod with a device mapped to a node resource")
	t.Create(objects.Template("template", objects.Claim("", request("costs"))), objects.OnlyOn(objects.PodFromTemplate("costs", t.Image, "template"), t.Nodes[0]))
	pod := t.WaitScheduled("costs")
	made := ptr.Deref(pod.Status.ResourceClaimStatuses[0].ResourceClaimName, "")
	t.Expect(stood(pod)).To(gomega.Equal([]string{made + " for main: cpu costs 20m + 0, memory costs 5Mi + 3Mi"}), "status of the pod with a device with overhead")
	unused := objects.OnlyOn(objects.Pod("unused", t.Image, "both"), t.Nodes[0])
	unused.Spec.Containers[0].Resources.Claims = nil
	t.Create(objects.Claim("both", request("both")), unused)
	t.Expect(stood(t.WaitScheduled("unused"))).To(gomega.Equal([]string{"both for : cpu 10m, memory 10Mi, memory costs 5Mi + 3Mi"}), "status of the pod without a container using its claim")
}}

// stood returns the mappings and overheads of a pod's claims, in a line for each.
func stood(pod *corev1.Pod) []string {
	var lines []string
	amount := func(q *resource.Quantity) string {
		if q == nil {
			return "0"
		}
		return q.String()
	}
	for _, s := range pod.Status.NodeAllocatableResourceClaimStatuses {
		var parts []string
		slices.SortFunc(s.Mapping, func(a, b corev1.NodeAllocatableMappedResources) int { return cmp.Compare(a.Name, b.Name) })
		for _, m := range s.Mapping {
			parts = append(parts, fmt.Sprintf("%s %s", m.Name, amount(m.Quantity)))
		}
		slices.SortFunc(s.Overhead, func(a, b corev1.NodeAllocatableOverheadResources) int { return cmp.Compare(a.Name, b.Name) })
		for _, o := range s.Overhead {
			parts = append(parts, fmt.Sprintf("%s costs %s + %s", o.Name, amount(o.PerPod), amount(o.PerContainer)))
		}
		lines = append(lines, fmt.Sprintf("%s for %s: %s", s.ResourceClaimName, strings.Join(slices.Sorted(slices.Values(s.Containers)), ", "), strings.Join(parts, ", ")))
	}
	return lines
}

// PodLevelResources has pods with requests and limits for all of their containers.
var PodLevelResources = harness.Case{Meta: spec.Meta{
	ID:       "allocation/pod-level-resources",
	Checks:   "Pod-level requests and limits must cover containers and mapped devices, else the pod waits with a reason.",
	Requires: []spec.RequirementID{"kep-5517/pod-level-covers"},
	Needs:    spec.Needs{NoKubelet: true, Since: "1.37", Features: []spec.Feature{spec.NodeAllocatable}},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	mapping := &resourceapi.NodeAllocatableMapping{DeviceMultiplier: ptr.To(resource.MustParse("4Mi"))}
	var devices []resourceapi.Device
	for _, name := range []string{"a", "b", "c", "d"} {
		devices = append(devices, standing(name, resourceapi.NodeAllocatableResource{Mapping: mapping}))
	}
	t.Publish("pool", t.Nodes[0], devices...)
	memory := func(amount string) corev1.ResourceList {
		return corev1.ResourceList{corev1.ResourceMemory: resource.MustParse(amount)}
	}
	run := func(name string, pod, container corev1.ResourceRequirements) {
		p := objects.OnlyOn(objects.Pod(name, t.Image, name), t.Nodes[0])
		container.Claims = p.Spec.Containers[0].Resources.Claims
		p.Spec.Resources, p.Spec.Containers[0].Resources = &pod, container
		t.Create(objects.Claim(name, objects.Request("req", class)), p)
		t.Get(p)
		if p.Spec.Resources == nil {
			t.Blockedf("the API server drops requests of pods as a whole: PodLevelResources is switched off")
		}
	}
	asks := corev1.ResourceRequirements{Requests: memory("2Mi")}
	run("covered", corev1.ResourceRequirements{Requests: memory("6Mi")}, asks)
	t.WaitScheduled("covered")
	run("too-little", corev1.ResourceRequirements{Requests: memory("5Mi")}, asks)
	t.WaitUnschedulable("too-little", "pod level request for memory is insufficient")
	limited := corev1.ResourceRequirements{Requests: memory("1Mi"), Limits: memory("3Mi")}
	run("limit-covered", corev1.ResourceRequirements{Requests: memory("5Mi"), Limits: memory("7Mi")}, limited)
	t.WaitScheduled("limit-covered")
	run("limit-too-low", corev1.ResourceRequirements{Requests: memory("5Mi"), Limits: memory("6Mi")}, limited)
	t.WaitUnschedulable("limit-too-low", "pod level limit for memory is insufficient")
}}
