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

package fabricplan_test

import (
	"encoding/json"
	"slices"
	"strconv"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/implementation/fabricplan"
)

const (
	driver = "gpu.example.com"
	pool   = "fabric/a100"
	node   = "worker"
)

func start() time.Time { return time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC) }

func config(reschedule bool) fabricplan.Config {
	return fabricplan.Config{Driver: driver, Fabric: "fabric", Reschedule: reschedule, DetachAfter: time.Minute, CordonFor: 10 * time.Second}
}

// allocated is a claim with devices of a pool, allocated at a time.
func allocated(name string, at time.Time, onPool string, devices ...string) *resourceapi.ResourceClaim {
	claim := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID(name), Generation: 3}}
	claim.Status.Allocation = &resourceapi.AllocationResult{
		AllocationTimestamp: new(metav1.NewTime(at)),
		NodeSelector: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchFields: []corev1.NodeSelectorRequirement{
			{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{node}}}}}},
	}
	for _, device := range devices {
		claim.Status.Allocation.Devices.Results = append(claim.Status.Allocation.Devices.Results,
			resourceapi.DeviceRequestAllocationResult{Request: "req", Driver: driver, Pool: onPool, Device: device})
	}
	return claim
}

// waiting is a claim with a slot awaited by the scheduler.
func waiting(name string, at time.Time, reschedule bool, slots ...string) *resourceapi.ResourceClaim {
	claim := allocated(name, at, pool, slots...)
	for i := range claim.Status.Allocation.Devices.Results {
		result := &claim.Status.Allocation.Devices.Results[i]
		result.BindingConditions, result.BindingFailureConditions = []string{fabricplan.Attached}, []string{fabricplan.AttachFailed}
		if reschedule {
			result.BindingFailureConditions = append(result.BindingFailureConditions, fabricplan.AttachedAsLocal)
		}
	}
	return claim
}

func keyOf(claim *resourceapi.ResourceClaim, i int) string {
	return fabricplan.KeyOf(claim, &claim.Status.Allocation.Devices.Results[i])
}

// local is a slice of a driver's local devices.
func local(devices ...string) *resourceapi.ResourceSlice {
	slice := &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: "local"}, Spec: resourceapi.ResourceSliceSpec{
		Driver: driver, NodeName: new(node), Pool: resourceapi.ResourcePool{Name: node}}}
	for _, name := range devices {
		slice.Spec.Devices = append(slice.Spec.Devices, resourceapi.Device{Name: name})
	}
	return slice
}

// cluster stores a test's slices, rules and claims like an API server.
type cluster struct {
	slices []*resourceapi.ResourceSlice
	rules  []*resourceapi.DeviceTaintRule
	writes int
	now    time.Time
}

// do executes the actions on slices and rules.
func (c *cluster) do(actions []fabricplan.Action) {
	c.writes = 0
	for _, action := range actions {
		switch action := action.(type) {
		case fabricplan.CreateSlice:
			c.slices = append(c.slices, action.Slice)
		case fabricplan.UpdateSlice:
			i := slices.IndexFunc(c.slices, func(s *resourceapi.ResourceSlice) bool { return s.Name == action.Slice.Name })
			c.slices[i] = action.Slice
		case fabricplan.DeleteSlice:
			c.slices = slices.DeleteFunc(c.slices, func(s *resourceapi.ResourceSlice) bool { return s.Name == action.Name })
		case fabricplan.Cordon:
			action.Rule.CreationTimestamp = metav1.NewTime(c.now)
			c.rules = append(c.rules, action.Rule)
		case fabricplan.Uncordon:
			c.rules = slices.DeleteFunc(c.rules, func(r *resourceapi.DeviceTaintRule) bool { return r.Name == action.Name })
		default:
			continue
		}
		c.writes++
	}
}

// slots are the slot numbers of a pool.
func (c *cluster) slots() []int {
	var all []int
	for _, slice := range c.slices {
		for _, device := range slice.Spec.Devices {
			n, err := strconv.Atoi(device.Name[len("free-"):])
			if err != nil {
				panic(err)
			}
			all = append(all, n)
		}
	}
	slices.Sort(all)
	return all
}

// trueConditions are the true conditions of a claim's slot, and the reason of the last.
func trueConditions(claim *resourceapi.ResourceClaim, slot string) (conditions []string, reason string) {
	for _, d := range claim.Status.Devices {
		if d.Device != slot {
			continue
		}
		for _, c := range d.Conditions {
			reason = c.Reason
			if meta.IsStatusConditionTrue(d.Conditions, c.Type) {
				conditions = append(conditions, c.Type)
			}
		}
	}
	return conditions, reason
}

// deviceOf is the device attached for the first slot of a claim.
func deviceOf(t *testing.T, claim *resourceapi.ResourceClaim) string {
	t.Helper()
	var a fabricplan.Attachment
	if err := json.Unmarshal(claim.Status.Devices[0].Data.Raw, &a); err != nil {
		t.Fatal(err)
	}
	return a.Device
}
