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

package audit

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Fabric is a device fabric (KEP-5007) and a cluster using it. Node drivers publish a device under its fabric ID.
type Fabric struct {
	// Driver is the name of the driver of all devices.
	Driver string
	// Devices are the fabric's devices; merged answers may have duplicates.
	Devices []spec.FabricDevice
	Claims  []resourceapi.ResourceClaim
	Slices  []resourceapi.ResourceSlice
	// Pods are the pods of the claims; without them, pods waiting for devices are unknown.
	Pods []corev1.Pod
}

// user is a claim with a device of the fabric, and its node.
type user struct {
	claim  *resourceapi.ResourceClaim
	device string
	node   string // where that is known
	// key is the key of the attach request; empty for a local device.
	key string
}

// Attached checks invariants: a device is attached to at most one node, and stays attached while a claim in use has
// it, exclusively; no pod is bound before its slots' devices are attached. Devices, claims and pods are not read
// atomically: check twice and use Confirm.
func Attached(f Fabric) []Violation {
	nodes, evidenceOf := map[string]sets.Set[string]{}, map[string][]Object{}
	at := func(device, node string) {
		if node != "" {
			nodes[device] = sets.New(node).Union(nodes[device])
		}
	}
	known := map[string]spec.FabricDevice{}
	for _, d := range f.Devices {
		at(d.ID, d.Node)
		known[d.ID] = d
	}
	users := f.users()
	found := append(f.bound(), hadByTwo(users)...)
	for _, u := range users {
		at(u.device, u.node)
		if u.node != "" {
			evidenceOf[u.device] = append(evidenceOf[u.device], u.claim)
		}
		d := known[u.device]
		state := fmt.Sprintf("is %s, on node %q", d.Phase, d.Node)
		switch {
		case d.ID == "":
			state = "is not there"
		case d.Elsewhere:
			state = "is another cluster's"
		case u.key != "" && d.Key != u.key && d.Phase != free:
			state = fmt.Sprintf("is attached for %q, not for %q", d.Key, u.key)
		case d.Phase == attached, d.Phase == dead && d.Node != "": // dead devices stay in place
			continue
		}
		found = append(found, Violation{Rule: DetachedInUse, Subject: u.device, Evidence: []Object{u.claim},
			Text: fmt.Sprintf("claim %s is in use and has device %s of the fabric: it %s", key(u.claim), u.device, state)})
	}
	for _, id := range slices.Sorted(maps.Keys(nodes)) {
		if nodes[id].Len() > 1 {
			found = append(found, Violation{Rule: AttachedTwice, Subject: id, Evidence: evidenceOf[id],
				Text: fmt.Sprintf("device %s of the fabric is attached to nodes %s", id, strings.Join(sets.List(nodes[id]), ", "))})
		}
	}
	return Sorted(found)
}

// bound reports pods bound before their devices are attached.
func (f Fabric) bound() []Violation {
	var found []Violation
	for i := range f.Pods {
		pod := &f.Pods[i]
		if pod.Spec.NodeName == "" || ended(pod) {
			continue
		}
		names, _ := ClaimNames(pod)
		for j := range f.Claims {
			claim := &f.Claims[j]
			if claim.Namespace != pod.Namespace || !slices.Contains(names, claim.Name) || checkClaim(pod, claim.Name, claim) != nil {
				continue // not its own: see Pods
			}
			for _, u := range f.of(claim) {
				if u.device == "" {
					found = append(found, aboutPod(BoundUnattached, pod, claim, "is bound to %s, and no device is attached yet for %s", pod.Spec.NodeName, u.key))
				}
			}
		}
	}
	return found
}

// hadByTwo reports devices used twice.
func hadByTwo(users []user) []Violation {
	first := map[string]user{}
	var found []Violation
	for _, u := range users {
		other, taken := first[u.device]
		if !taken {
			first[u.device] = u
			continue
		}
		found = append(found, Violation{Rule: HadByTwo, Subject: u.device, Evidence: []Object{other.claim, u.claim},
			Text: fmt.Sprintf("device %s of the fabric is had by claims %s (%s) and %s (%s)", u.device, key(other.claim), other.as(), key(u.claim), u.as())})
	}
	return found
}

// as is how a claim has its device.
func (u user) as() string {
	if u.key == "" {
		return "as local to node " + u.node
	}
	return "attached for " + u.key
}

// AttachedForNobody checks, once nothing has happened for the idle time of devices, that each device attached for
// this cluster belongs to a claim, in use or not.
func AttachedForNobody(f Fabric) []Violation {
	keys, names := sets.New[string](), sets.New[string]()
	for i := range f.Claims {
		for _, u := range f.of(&f.Claims[i]) {
			if u.key != "" {
				keys.Insert(u.key)
			}
			names.Insert(u.device)
		}
	}
	var found []Violation
	for _, d := range f.Devices {
		if d.Node != "" && !d.Elsewhere && !keys.Has(d.Key) && !names.Has(d.ID) {
			found = append(found, Violation{Rule: LeftAttached, Subject: d.ID,
				Text: fmt.Sprintf("device %s of the fabric is %s for node %s, and no claim has it", d.ID, d.Phase, d.Node)})
		}
	}
	return Sorted(found)
}

// PublishedAttached checks, once nothing has happened for the drivers' polling interval, that fabric devices in a
// node's slices are attached to the node. A device unknown to the fabric is the node's own.
func PublishedAttached(f Fabric) []Violation {
	known := map[string]spec.FabricDevice{}
	for _, d := range f.Devices {
		known[d.ID] = d
	}
	var found []Violation
	for i := range f.Slices {
		slice := &f.Slices[i]
		node := ptr.Deref(slice.Spec.NodeName, "")
		if slice.Spec.Driver != f.Driver || node == "" {
			continue // of other devices, or of slots
		}
		for _, published := range slice.Spec.Devices {
			if d, ours := known[published.Name]; ours && (d.Node != node || d.Elsewhere || d.Phase != attached) {
				found = append(found, Violation{Rule: PublishedUnattached, Subject: d.ID, Evidence: []Object{slice},
					Text: fmt.Sprintf("device %s of the fabric is published as local to node %s, and is %s, on node %q", d.ID, node, d.Phase, d.Node)})
			}
		}
	}
	return Sorted(found)
}

// FabricUse is a fabric device of a claim in use.
type FabricUse struct {
	Claim  types.UID
	Device string
	// Local: the claim has it as a local device, instead of a slot.
	Local bool
}

// FabricUses returns the fabric devices of claims in use.
func FabricUses(f Fabric) []FabricUse {
	var all []FabricUse
	for _, u := range f.users() {
		all = append(all, FabricUse{Claim: u.claim.UID, Device: u.device, Local: u.key == ""})
	}
	return all
}

// Phases of devices, as dra-fabric has them.
const (
	free     = "Free"
	attached = "Attached"
	dead     = "Dead"
	// attachedCondition is the binding condition of fabric slots.
	attachedCondition = "dra-conformance.github.io/attached"
)

// users returns the claims in use with a device.
func (f Fabric) users() []user {
	var all []user
	for i := range f.Claims {
		claim := &f.Claims[i]
		if len(claim.Status.ReservedFor) == 0 {
			continue
		}
		for _, u := range f.of(claim) {
			if u.device != "" {
				all = append(all, u)
			}
		}
	}
	return all
}

// of returns a claim's devices: local ones of the fabric by name, and slots, with an empty device until the claim's
// status shows it attached.
func (f Fabric) of(claim *resourceapi.ResourceClaim) []user {
	if claim.Status.Allocation == nil {
		return nil
	}
	var all []user
	for _, r := range claim.Status.Allocation.Devices.Results {
		switch {
		case r.Driver != f.Driver || ptr.Deref(r.AdminAccess, false):
		case len(r.BindingConditions) > 0:
			u := user{claim: claim, key: keyPrefix(claim) + r.Pool + "/" + r.Device}
			u.device, u.node = reportedSlot(claim, r, u.key)
			all = append(all, u)
		case slices.ContainsFunc(f.Devices, func(d spec.FabricDevice) bool { return d.ID == r.Device }):
			all = append(all, user{claim: claim, device: r.Device, node: f.nodeOf(r)})
		}
	}
	return all
}

// keyPrefix is the prefix of attach request keys for a claim's allocation, followed by pool and slot
// (docs/fabric.md).
func keyPrefix(claim *resourceapi.ResourceClaim) string {
	at := ""
	if t := claim.Status.Allocation.AllocationTimestamp; t != nil {
		at = t.UTC().Format(time.RFC3339)
	}
	return string(claim.UID) + "/" + at + "/"
}

// reportedSlot returns the claim's status of an attached slot, ignoring earlier allocations.
func reportedSlot(claim *resourceapi.ResourceClaim, r resourceapi.DeviceRequestAllocationResult, key string) (device, node string) {
	for _, s := range claim.Status.Devices {
		if s.Driver != r.Driver || s.Pool != r.Pool || s.Device != r.Device || s.Data == nil || !meta.IsStatusConditionTrue(s.Conditions, attachedCondition) {
			continue
		}
		var data struct{ Key, Node, Device string }
		if err := json.Unmarshal(s.Data.Raw, &data); err == nil && data.Key == key {
			return data.Device, data.Node
		}
	}
	return "", ""
}

// nodeOf is the node of the slice with a device, empty if there is none.
func (f Fabric) nodeOf(r resourceapi.DeviceRequestAllocationResult) string {
	for _, s := range f.Slices {
		if s.Spec.Driver == r.Driver && s.Spec.Pool.Name == r.Pool && slices.ContainsFunc(s.Spec.Devices, func(d resourceapi.Device) bool { return d.Name == r.Device }) {
			return ptr.Deref(s.Spec.NodeName, "")
		}
	}
	return ""
}
