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

package fabricplan

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Attachment is the data of a slot's device status in a claim. A status with another key belongs to
// an earlier allocation and is ignored.
type Attachment struct {
	Key  string `json:"key"`
	Node string `json:"node"`
	// Device is the attached device; empty until then.
	Device string `json:"device,omitempty"`
}

// KeyOf is the idempotency key of the attach request for a slot of an allocated claim. It differs
// for each allocation, except for two allocations within the same second, the API's timestamp
// resolution: these get the same answer and one more attempt.
func KeyOf(claim *resourceapi.ResourceClaim, result *resourceapi.DeviceRequestAllocationResult) string {
	at := ""
	if t := claim.Status.Allocation.AllocationTimestamp; t != nil {
		at = t.UTC().Format(time.RFC3339)
	}
	return strings.Join([]string{string(claim.UID), at, result.Pool, result.Device}, "/")
}

// slotStatus is a slot's status in a claim.
type slotStatus struct {
	attachment Attachment
	conditions []metav1.Condition
}

// statusOf reads a slot's status with this key from a claim.
func statusOf(devices []resourceapi.AllocatedDeviceStatus, result *resourceapi.DeviceRequestAllocationResult, key string) slotStatus {
	i := indexOf(devices, result)
	if i < 0 || devices[i].Data == nil {
		return slotStatus{}
	}
	var a Attachment
	if err := json.Unmarshal(devices[i].Data.Raw, &a); err != nil || a.Key != key {
		return slotStatus{} // from another writer or an earlier allocation
	}
	return slotStatus{a, slices.Clone(devices[i].Conditions)}
}

func indexOf(devices []resourceapi.AllocatedDeviceStatus, result *resourceapi.DeviceRequestAllocationResult) int {
	return slices.IndexFunc(devices, func(d resourceapi.AllocatedDeviceStatus) bool {
		return d.Driver == result.Driver && d.Pool == result.Pool && d.Device == result.Device
	})
}

// settled reports whether the scheduler has all it needs about the slot.
func (s slotStatus) settled() bool {
	for _, name := range []string{Attached, AttachFailed, AttachedAsLocal} {
		if meta.IsStatusConditionTrue(s.conditions, name) {
			return true
		}
	}
	return false
}

// put replaces a slot's status in a claim's status.
func (s slotStatus) put(devices []resourceapi.AllocatedDeviceStatus, result *resourceapi.DeviceRequestAllocationResult) []resourceapi.AllocatedDeviceStatus {
	raw, err := json.Marshal(s.attachment)
	if err != nil {
		panic(err) // three strings
	}
	status := resourceapi.AllocatedDeviceStatus{
		Driver: result.Driver, Pool: result.Pool, Device: result.Device,
		Conditions: s.conditions, Data: &runtime.RawExtension{Raw: raw},
	}
	if i := indexOf(devices, result); i >= 0 {
		devices[i] = status
		return devices
	}
	return append(devices, status)
}

// nodeOf is the only node of an allocated claim, empty if there are several.
func nodeOf(claim *resourceapi.ResourceClaim) string {
	selector := claim.Status.Allocation.NodeSelector
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
