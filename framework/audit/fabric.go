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

// Fabric is a fabric of devices (KEP-5007) and a cluster that uses it. Its device is known
// by its ID, by which the driver on a node publishes it, too.
type Fabric struct {
	// Driver is the name of the driver of all devices.
	Driver string
	// Devices are what the fabric knows; who joins the answers of several may give one twice.
	Devices []spec.FabricDevice
	Claims  []resourceapi.ResourceClaim
	Slices  []resourceapi.ResourceSlice
	// Pods are those with the claims; without them it is not known who waits for devices.
	Pods []corev1.Pod
}

// user is a claim that has a device of the fabric, and where.
type user struct {
	claim  *resourceapi.ResourceClaim
	device string
	node   string // where that is known
	// key is that of the request for which the device was attached; empty for a local one.
	key string
}

// Attached checks what holds at every moment: a device is attached to one node at most, and
// stays there while a claim that is in use has it, which no other one has; no pod is bound
// before the devices of its slots are attached. Devices, claims and pods are not read at one moment: check twice, and
// keep what Confirm keeps.
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
		case d.Phase == attached, d.Phase == dead && d.Node != "": // what has died is still in its place
			continue
		}
		found = append(found, Violation{Rule: DetachedInUse, Subject: u.device, Evidence: []Object{u.claim},
			Text: fmt.Sprintf("claim %s is in use and has device %s of the fabric, which %s", key(u.claim), u.device, state)})
	}
	for _, id := range slices.Sorted(maps.Keys(nodes)) {
		if nodes[id].Len() > 1 {
			found = append(found, Violation{Rule: AttachedTwice, Subject: id, Evidence: evidenceOf[id],
				Text: fmt.Sprintf("device %s of the fabric is attached to nodes %s", id, strings.Join(sets.List(nodes[id]), ", "))})
		}
	}
	return Sorted(found)
}

// bound are the pods that are bound although a device of theirs is not attached.
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
				continue // not its own: that is for Pods
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

// hadByTwo are the devices that were given away twice.
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

// AttachedForNobody checks what holds once nothing has happened for as long as idle devices
// stay: what is attached for this cluster is of a claim, in use or not.
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

// PublishedAttached checks what holds once nothing has happened for as long as drivers take to
// look: what a node's slices have of the fabric is attached to the node. A device that the
// fabric does not know is the node's own.
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

// FabricUse is a device of a fabric that a claim in use has.
type FabricUse struct {
	Claim  types.UID
	Device string
	// Local says that it has it as local to its node, not by a slot.
	Local bool
}

// FabricUses are the devices of a fabric that claims in use have.
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
	// attachedCondition is the one that a slot of a fabric waits for.
	attachedCondition = "dra-conformance.github.io/attached"
)

// users are the claims in use that have a device, each with what it has.
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

// of are the devices of a claim: local ones of the fabric by their names, and slots, whose
// device is empty until the claim's status says that it is attached.
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
			u.device, u.node = told(claim, r, u.key)
			all = append(all, u)
		case slices.ContainsFunc(f.Devices, func(d spec.FabricDevice) bool { return d.ID == r.Device }):
			all = append(all, user{claim: claim, device: r.Device, node: f.nodeOf(r)})
		}
	}
	return all
}

// keyPrefix begins the keys of the requests to attach devices for a claim's allocation,
// which the pool and the slot end (docs/fabric.md).
func keyPrefix(claim *resourceapi.ResourceClaim) string {
	at := ""
	if t := claim.Status.Allocation.AllocationTimestamp; t != nil {
		at = t.UTC().Format(time.RFC3339)
	}
	return string(claim.UID) + "/" + at + "/"
}

// told is what the claim's status says of a slot that is attached; what it has said of an
// earlier allocation does not count.
func told(claim *resourceapi.ResourceClaim, r resourceapi.DeviceRequestAllocationResult, key string) (device, node string) {
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

// nodeOf is the node whose slice has a device, empty if there is none.
func (f Fabric) nodeOf(r resourceapi.DeviceRequestAllocationResult) string {
	for _, s := range f.Slices {
		if s.Spec.Driver == r.Driver && s.Spec.Pool.Name == r.Pool && slices.ContainsFunc(s.Spec.Devices, func(d resourceapi.Device) bool { return d.Name == r.Device }) {
			return ptr.Deref(s.Spec.NodeName, "")
		}
	}
	return ""
}
