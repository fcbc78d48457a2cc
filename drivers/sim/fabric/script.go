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

// reason is that of all conditions.
const reason = "Scripted"

// Script is what the fabric says of the devices of one driver on one node.
type Script struct {
	Driver, Node string
	// Told is when the fabric got the script.
	Told       time.Time
	Conditions []spec.FabricCondition
}

// Next returns the status.devices that the claim is to have now and the
// conditions that are new in it, none if nothing is to be changed, and how long
// it takes until the next condition is due, zero if none is.
//
// Only claims that can be used on no other node than the script's are answered:
// for others a fabric cannot know where to attach the device.
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
	from := s.Told
	if allocation.AllocationTimestamp != nil && allocation.AllocationTimestamp.After(from) {
		from = allocation.AllocationTimestamp.Time
	}
	return from.Add(c.Delay)
}

// awaited is whether the scheduler looks at a condition of an allocated device.
func awaited(result resourceapi.DeviceRequestAllocationResult, condition string) bool {
	return slices.Contains(result.BindingConditions, condition) || slices.Contains(result.BindingFailureConditions, condition)
}

// StatusOf is what is told of a device that is allocated, in place; nil if nothing is.
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

// ShareID is the identifier of a share as the status of a claim has it, nil for a device that is not
// shared.
func ShareID(result resourceapi.DeviceRequestAllocationResult) *string {
	if result.ShareID == nil {
		return nil
	}
	id := string(*result.ShareID)
	return &id
}

// onlyNode is the node to which a node selector restricts by its name.
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

// shorter of two times until something is due, where zero means never.
func shorter(a, b time.Duration) time.Duration {
	if a == 0 || b < a {
		return b
	}
	return a
}
