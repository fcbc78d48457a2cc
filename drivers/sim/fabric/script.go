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

package fabric

import (
	"cmp"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/spec"
)

// reason is the reason of all conditions.
const reason = "Scripted"

// Script is the fabric's script for the devices of one driver on one node.
type Script struct {
	Driver, Node string
	// Received is when the fabric got the script.
	Received   time.Time
	Conditions []spec.FabricCondition
}

// Next returns the claim's new status.devices and the new conditions in it, none if nothing changes, and the time
// until the next condition is due, zero if none is.
//
// Only claims usable on the script's node alone are handled: for others a fabric cannot know where to attach the
// device.
func (s Script) Next(claim *resourceapi.ResourceClaim, now time.Time) (devices []resourceapi.AllocatedDeviceStatus, set []spec.ConditionSet, wait time.Duration) {
	allocation := claim.Status.Allocation
	if allocation == nil || onlyNode(allocation.NodeSelector) != s.Node {
		return nil, nil, 0
	}
	devices = claim.DeepCopy().Status.Devices
	for _, result := range allocation.Devices.Results {
		if result.Driver != s.Driver {
			continue
		}
		for _, c := range s.Conditions {
			if c.Claim != "" && c.Claim != claim.Name || !awaited(result, c.Type) {
				continue
			}
			status := StatusOf(devices, result)
			if status != nil && meta.IsStatusConditionTrue(status.Conditions, c.Type) {
				continue
			}
			if left := s.due(allocation, c).Sub(now); left > 0 {
				wait = shorter(wait, left)
				continue
			}
			if status == nil {
				devices = append(devices, resourceapi.AllocatedDeviceStatus{
					Driver: result.Driver, Pool: result.Pool, Device: result.Device, ShareID: ShareID(result),
				})
				status = &devices[len(devices)-1]
			}
			meta.SetStatusCondition(&status.Conditions, metav1.Condition{
				Type: c.Type, Status: metav1.ConditionTrue, ObservedGeneration: claim.Generation,
				LastTransitionTime: metav1.NewTime(now), Reason: reason, Message: cmp.Or(c.Message, "dra-sim: as the case told"),
			})
			set = append(set, spec.ConditionSet{
				Time: now, Claim: claim.Name, UID: claim.UID, Pool: result.Pool, Device: result.Device, Type: c.Type,
			})
		}
	}
	if len(set) == 0 {
		devices = nil
	}
	return devices, set, wait
}

func (s Script) due(allocation *resourceapi.AllocationResult, c spec.FabricCondition) time.Time {
	from := s.Received
	if allocation.AllocationTimestamp != nil && allocation.AllocationTimestamp.After(from) {
		from = allocation.AllocationTimestamp.Time
	}
	return from.Add(c.Delay)
}

// awaited reports whether the scheduler evaluates a condition of an allocated device.
func awaited(result resourceapi.DeviceRequestAllocationResult, condition string) bool {
	return slices.Contains(result.BindingConditions, condition) || slices.Contains(result.BindingFailureConditions, condition)
}

// StatusOf returns the status of an allocated device, in place; nil if there is none.
func StatusOf(devices []resourceapi.AllocatedDeviceStatus, result resourceapi.DeviceRequestAllocationResult) *resourceapi.AllocatedDeviceStatus {
	id := ShareID(result)
	for i, d := range devices {
		sameShare := d.ShareID == nil && id == nil || d.ShareID != nil && id != nil && *d.ShareID == *id
		if d.Driver == result.Driver && d.Pool == result.Pool && d.Device == result.Device && sameShare {
			return &devices[i]
		}
	}
	return nil
}

// ShareID is a share's ID as in the status of a claim, nil for a device that is not shared.
func ShareID(result resourceapi.DeviceRequestAllocationResult) *string {
	if result.ShareID == nil {
		return nil
	}
	id := string(*result.ShareID)
	return &id
}

// onlyNode is the node name required by a node selector.
func onlyNode(selector *corev1.NodeSelector) string {
	if selector == nil || len(selector.NodeSelectorTerms) != 1 {
		return ""
	}
	for _, f := range selector.NodeSelectorTerms[0].MatchFields {
		if f.Key == metav1.ObjectNameField && f.Operator == corev1.NodeSelectorOpIn && len(f.Values) == 1 {
			return f.Values[0]
		}
	}
	return ""
}

// shorter returns the shorter delay, where zero means never.
func shorter(a, b time.Duration) time.Duration {
	if a == 0 || b < a {
		return b
	}
	return a
}
