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

package scheduler

import (
	"fmt"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/utils/ptr"
)

// benchWorld has 200 nodes with ten devices each, some in use, like upstream's scheduler_perf.
func benchWorld(b *testing.B, inUse int) *world {
	b.Helper()
	detailed := func(d *resourceapi.Device) {
		d.Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{
			"model": {StringValue: ptr.To("B60")}, "family": {StringValue: ptr.To("B-Series")}, "sriov": {BoolValue: ptr.To(true)},
		}
		d.Capacity = map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{
			"memory": {Value: resource.MustParse("24480Mi")}, "millicores": {Value: resource.MustParse("1k")},
		}
	}
	objects := []runtime.Object{
		class("class", func(c *resourceapi.DeviceClass) {
			c.Spec.Selectors = []resourceapi.DeviceSelector{{CEL: &resourceapi.CELDeviceSelector{Expression: `device.driver == "` + driver + `"`}}}
		}),
		asking("one", 1),
	}
	for i := range 200 {
		name := fmt.Sprintf("node-%d", i)
		objects = append(objects, node(name), slice(name, 10, detailed))
		for j := range inUse {
			objects = append(objects, asking(fmt.Sprintf("claim-%d-%d", i, j), 1, allocated(name), func(c *resourceapi.ResourceClaim) {
				c.Status.Allocation.Devices.Results[0].Device = fmt.Sprintf("device-%d", j)
			}))
		}
	}
	return newWorld(b, objects...)
}

// BenchmarkFilter filters all nodes for one pod.
func BenchmarkFilter(b *testing.B) {
	for _, inUse := range []int{0, 5, 10} {
		b.Run(fmt.Sprintf("%d of 10 devices in use", inUse), func(b *testing.B) {
			w, pod := benchWorld(b, inUse), using("pod", "one")
			cycle := &testCycle{data: make(map[fwk.StateKey]fwk.StateData)}
			b.ReportAllocs()
			for b.Loop() {
				if _, status := w.plugin.PreFilter(w.ctx, cycle, pod, nil); !status.IsSuccess() {
					b.Fatal(status)
				}
				for _, node := range w.nodes {
					if status := w.plugin.Filter(w.ctx, cycle, pod, testNode{node: node}); status.IsSuccess() != (inUse < 10) {
						b.Fatal(status)
					}
				}
			}
		})
	}
}
