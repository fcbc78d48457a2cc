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

// Attachment is what the status of a slot in a claim has as its data. Conditions whose
// attachment has another key were written for an earlier allocation and do not count.
type Attachment struct {
	Key  string `json:"key"`
	Node string `json:"node"`
	// Device is the one that was attached; empty until then.
	Device string `json:"device,omitempty"`
}

// KeyOf is the key of the request to attach a device for a slot of an allocated claim.
// It is another one for each allocation: that of a claim which is allocated again in the
// same second is the same, as the API has no finer timestamp; it gets the same answer
// and is tried once more.
func KeyOf(claim *resourceapi.ResourceClaim, result *resourceapi.DeviceRequestAllocationResult) string {
	at := ""
	if t := claim.Status.Allocation.AllocationTimestamp; t != nil {
		at = t.UTC().Format(time.RFC3339)
	}
	return strings.Join([]string{string(claim.UID), at, result.Pool, result.Device}, "/")
}

// slotStatus is the status of a slot in a claim.
type slotStatus struct {
	attachment Attachment
	conditions []metav1.Condition
}

// statusOf reads what the status of a claim has of a slot, for this key.
func statusOf(devices []resourceapi.AllocatedDeviceStatus, result *resourceapi.DeviceRequestAllocationResult, key string) slotStatus {
	i := indexOf(devices, result)
	if i < 0 || devices[i].Data == nil {
		return slotStatus{}
	}
	var a Attachment
	if err := json.Unmarshal(devices[i].Data.Raw, &a); err != nil || a.Key != key {
		return slotStatus{} // somebody else's, or an earlier one
	}
	return slotStatus{a, slices.Clone(devices[i].Conditions)}
}

func indexOf(devices []resourceapi.AllocatedDeviceStatus, result *resourceapi.DeviceRequestAllocationResult) int {
	return slices.IndexFunc(devices, func(d resourceapi.AllocatedDeviceStatus) bool {
		return d.Driver == result.Driver && d.Pool == result.Pool && d.Device == result.Device
	})
}

// settled is whether the scheduler knows all that it has to know of the slot.
func (s slotStatus) settled() bool {
	for _, name := range []string{Attached, AttachFailed, AttachedAsLocal} {
		if meta.IsStatusConditionTrue(s.conditions, name) {
			return true
		}
	}
	return false
}

// put replaces the status of a slot in that of its claim.
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

// nodeOf is the only node on which an allocated claim can be used, empty if there are
// several.
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
