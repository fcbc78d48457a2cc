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

package monitor

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/follow"
	"github.com/dra-conformance/dratest/framework/spec"
)

// testNamespace is that of a case.
const testNamespace = "dratest-bcdfg"

var t0 = time.Date(2026, 11, 29, 10, 0, 0, 0, time.UTC)

func after(d time.Duration) time.Time { return t0.Add(d) }

// claim has its devices from the scheduler.
func claim(name string, devices ...string) *resourceapi.ResourceClaim {
	c := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: testNamespace, Name: name, UID: types.UID(name)}}
	if len(devices) == 0 {
		return c
	}
	c.Status.Allocation = &resourceapi.AllocationResult{}
	for _, device := range devices {
		r := resourceapi.DeviceRequestAllocationResult{Request: "r", Driver: "d", Pool: "p", Device: device}
		c.Status.Allocation.Devices.Results = append(c.Status.Allocation.Devices.Results, r)
	}
	writtenBy(c, "kube-scheduler", "f:status", "f:allocation")
	return c
}

func writtenBy(o metav1.Object, manager string, fields ...string) {
	raw := strings.Join(fields, `":{"`)
	o.SetManagedFields(append(o.GetManagedFields(), metav1.ManagedFieldsEntry{
		Manager: manager, FieldsV1: metav1.NewFieldsV1(fmt.Sprintf(`{"%s":{}%s`, raw, strings.Repeat("}", len(fields)))),
	}))
}

func reservedFor(c *resourceapi.ResourceClaim, pods ...string) *resourceapi.ResourceClaim {
	for _, pod := range pods {
		c.Status.ReservedFor = append(c.Status.ReservedFor, resourceapi.ResourceClaimConsumerReference{Resource: "pods", Name: pod, UID: types.UID(pod)})
	}
	return c
}

// slice publishes partitions of a GPU with some units; each takes 2.
func slice(units string, count int64, devices ...string) *resourceapi.ResourceSlice {
	s := &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: "s", UID: "s"}, Spec: resourceapi.ResourceSliceSpec{
		Driver: "d", Pool: resourceapi.ResourcePool{Name: "p", ResourceSliceCount: count}, AllNodes: ptr.To(true),
		SharedCounters: []resourceapi.CounterSet{{Name: "gpu", Counters: map[string]resourceapi.Counter{"units": {Value: resource.MustParse(units)}}}},
	}}
	for _, name := range devices {
		s.Spec.Devices = append(s.Spec.Devices, resourceapi.Device{Name: name, ConsumesCounters: []resourceapi.DeviceCounterConsumption{{
			CounterSet: "gpu", Counters: map[string]resourceapi.Counter{"units": {Value: resource.MustParse("2")}},
		}}})
	}
	writtenBy(s, "driver", "f:spec")
	return s
}

// stateOf is a state after a change of the first object, or a list.
func stateOf[O follow.Object](list bool, objects ...O) follow.State[O] {
	s := follow.State[O]{Objects: map[types.UID]O{}}
	for _, o := range objects {
		s.Objects[o.GetUID()] = o
	}
	if list {
		s.Listed = t0
	} else {
		s.Changed = objects[0]
	}
	return s
}

// without is the state after an object is gone.
func without[O follow.Object](gone O, objects ...O) follow.State[O] {
	s := stateOf(true, objects...)
	s.Listed, s.Changed = time.Time{}, gone
	return s
}

// rules are those of observations that count.
func rules(observed []observation) string {
	found := map[spec.FindingRule]bool{}
	for _, o := range observed {
		if !o.byHand {
			found[o.rule] = true
		}
	}
	var all []string
	for _, rule := range slices.Sorted(maps.Keys(found)) {
		all = append(all, string(rule))
	}
	return strings.Join(all, " ")
}
