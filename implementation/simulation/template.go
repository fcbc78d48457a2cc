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

package simulation

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/implementation/dramanager"
)

// Template has the objects of a new node.
type Template struct {
	Node *v1.Node `json:"node"`
	// Slices are the node's future slices: all slices of each of their pools, reachable from this node
	// alone. Generation and count default to the right values.
	Slices []*resourceapi.ResourceSlice `json:"slices,omitempty"`
	// Pods come with each node, e.g. DaemonSet pods, and use Claims. Omitted allocation modes and counts
	// get the API server's defaults.
	Pods   []*v1.Pod                    `json:"pods,omitempty"`
	Claims []*resourceapi.ResourceClaim `json:"claims,omitempty"`
}

type poolID struct{ driver, pool string }

func poolOf(slice *resourceapi.ResourceSlice) poolID {
	return poolID{slice.Spec.Driver, slice.Spec.Pool.Name}
}

// Validate returns everything that prevents nodes of the template, or makes them differ from the
// intention.
func (t *Template) Validate() error {
	if t.Node == nil || t.Node.Name == "" {
		return errors.New("node: it has no name: give it the one that its slices have")
	}
	var errs []error
	counts := make(map[poolID]int64)
	for i, slice := range t.Slices {
		if slice == nil {
			return fmt.Errorf("slices[%d]: it is empty", i)
		}
		counts[poolOf(slice)]++
	}
	generations := make(map[poolID]int64)
	for i, slice := range t.Slices {
		where := fmt.Sprintf("slices[%d]", i)
		if slice.Name != "" {
			where += " (" + slice.Name + ")"
		}
		if slice.Spec.Driver == "" || slice.Spec.Pool.Name == "" {
			errs = append(errs, fmt.Errorf("%s: driver and pool.name have to be set", where))
		}
		if count := slice.Spec.Pool.ResourceSliceCount; count != 0 && count != counts[poolOf(slice)] {
			errs = append(errs, fmt.Errorf("%s: pool %s has %d slices, this template has %d of them: such a pool is incomplete, and no device of it is allocated", where, slice.Spec.Pool.Name, count, counts[poolOf(slice)]))
		}
		if known, ok := generations[poolOf(slice)]; ok && known != slice.Spec.Pool.Generation {
			errs = append(errs, fmt.Errorf("%s: pool %s has generation %d here and %d in another slice: keep the newest generation only", where, slice.Spec.Pool.Name, slice.Spec.Pool.Generation, known))
		}
		generations[poolOf(slice)] = slice.Spec.Pool.Generation
		if err := t.local(slice); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", where, err))
		}
	}
	for i, claim := range t.Claims {
		if claim == nil {
			return fmt.Errorf("claims[%d]: it is empty", i)
		}
		if claim.Status.Allocation != nil {
			errs = append(errs, fmt.Errorf("claims[%d] (%s): it is allocated: leave its status out", i, claim.Name))
		}
		for mode, count := range counted(claim) {
			if *mode != resourceapi.DeviceAllocationModeAll && *count < 0 {
				errs = append(errs, fmt.Errorf("claims[%d] (%s): count: it must not be negative", i, claim.Name))
			}
		}
	}
	for i, pod := range t.Pods {
		if pod == nil {
			return fmt.Errorf("pods[%d]: it is empty", i)
		}
		if pod.Spec.NodeName != "" {
			errs = append(errs, fmt.Errorf("pods[%d] (%s): leave spec.nodeName out", i, pod.Name))
		}
	}
	return errors.Join(errs...)
}

// local reports whether only the template's node can reach a slice.
func (t *Template) local(slice *resourceapi.ResourceSlice) error {
	switch name := slice.Spec.NodeName; {
	case name != nil && *name == t.Node.Name:
		return nil
	case name != nil:
		return fmt.Errorf("it is for node %s, the template's is %s", *name, t.Node.Name)
	case slice.Spec.NodeSelector != nil:
		return errors.New("it selects nodes: only slices with spec.nodeName come with each node of a group")
	case slice.Spec.AllNodes != nil && *slice.Spec.AllNodes:
		return errors.New("it is for all nodes: only slices with spec.nodeName come with each node of a group")
	}
	return errors.New("spec.nodeName is missing")
}

// Instance returns the objects of a new node with this name. Slices keep their order; pool names
// contain the node's name.
func (t *Template) Instance(name string) Objects {
	rename := func(s string) string {
		if strings.Contains(s, t.Node.Name) {
			return strings.ReplaceAll(s, t.Node.Name, name)
		}
		return s + "-" + name
	}
	node := t.Node.DeepCopy()
	node.Name, node.UID, node.Spec.ProviderID = name, types.UID("node-"+name), ""
	for key, value := range node.Labels {
		if value == t.Node.Name {
			node.Labels[key] = name
		}
	}
	if node.Labels == nil {
		node.Labels = make(map[string]string)
	}
	node.Labels[v1.LabelHostname] = name
	made := Objects{Nodes: []*v1.Node{node}, Objects: dramanager.Objects{Slices: t.slices(name, rename)}}
	for _, claim := range t.Claims {
		claim := claim.DeepCopy()
		claim.Name, claim.UID = rename(claim.Name), types.UID("claim-"+name+"-"+claim.Name)
		claim.OwnerReferences = renameOwners(claim.OwnerReferences, name, rename)
		for mode, count := range counted(claim) {
			*mode = cmp.Or(*mode, resourceapi.DeviceAllocationModeExactCount)
			if *mode == resourceapi.DeviceAllocationModeExactCount {
				*count = cmp.Or(*count, 1)
			}
		}
		made.Claims = append(made.Claims, claim)
	}
	for _, pod := range t.Pods {
		pod := pod.DeepCopy()
		pod.UID, pod.Name = podUID(name, pod.Name), rename(pod.Name)
		for i := range pod.Spec.ResourceClaims {
			if claim := pod.Spec.ResourceClaims[i].ResourceClaimName; claim != nil && t.hasClaim(*claim) {
				pod.Spec.ResourceClaims[i].ResourceClaimName = new(rename(*claim))
			}
		}
		for i := range pod.Status.ResourceClaimStatuses {
			if claim := pod.Status.ResourceClaimStatuses[i].ResourceClaimName; claim != nil {
				pod.Status.ResourceClaimStatuses[i].ResourceClaimName = new(rename(*claim))
			}
		}
		made.Pods = append(made.Pods, pod)
	}
	return made
}

// counted yields allocation mode and count of all requests and alternatives of a claim.
func counted(claim *resourceapi.ResourceClaim) iter.Seq2[*resourceapi.DeviceAllocationMode, *int64] {
	return func(yield func(*resourceapi.DeviceAllocationMode, *int64) bool) {
		for i := range claim.Spec.Devices.Requests {
			r := &claim.Spec.Devices.Requests[i]
			if r.Exactly != nil && !yield(&r.Exactly.AllocationMode, &r.Exactly.Count) {
				return
			}
			for j := range r.FirstAvailable {
				if !yield(&r.FirstAvailable[j].AllocationMode, &r.FirstAvailable[j].Count) {
					return
				}
			}
		}
	}
}

// published is the number of devices on the template's node.
func (t *Template) published() int {
	n := 0
	for _, slice := range t.Slices {
		n += len(slice.Spec.Devices)
	}
	return n
}

// arePlain reports whether all devices are exclusive and independent of each other.
func arePlain(slices []*resourceapi.ResourceSlice) bool {
	for _, slice := range slices {
		for i := range slice.Spec.Devices {
			if d := &slice.Spec.Devices[i]; len(d.ConsumesCounters) > 0 || ptr.Deref(d.AllowMultipleAllocations, false) {
				return false
			}
		}
	}
	return true
}

// pools are the pools of a new node with this name.
func (t *Template) pools(name string) map[poolID]bool {
	pools := make(map[poolID]bool)
	for _, slice := range t.Instance(name).Slices {
		pools[poolOf(slice)] = true
	}
	return pools
}

func podUID(node, pod string) types.UID { return types.UID("pod-" + node + "-" + pod) }

// renameOwners updates the claims' owner references to the new pods.
func renameOwners(owners []metav1.OwnerReference, node string, rename func(string) string) []metav1.OwnerReference {
	for i := range owners {
		if owners[i].Kind == "Pod" {
			owners[i].UID, owners[i].Name = podUID(node, owners[i].Name), rename(owners[i].Name)
		}
	}
	return owners
}

func (t *Template) hasClaim(name string) bool {
	return slices.ContainsFunc(t.Claims, func(c *resourceapi.ResourceClaim) bool { return c.Name == name })
}

// slices returns the slices for a new node.
func (t *Template) slices(name string, rename func(string) string) []*resourceapi.ResourceSlice {
	counts := make(map[poolID]int64)
	for _, slice := range t.Slices {
		counts[poolOf(slice)]++
	}
	sorted := slices.Clone(t.Slices)
	slices.SortStableFunc(sorted, func(a, b *resourceapi.ResourceSlice) int { return strings.Compare(a.Name, b.Name) })
	made := make([]*resourceapi.ResourceSlice, 0, len(sorted))
	for i, slice := range sorted {
		count := counts[poolOf(slice)]
		slice := slice.DeepCopy()
		// Devices are tried in the order of the slices' names.
		slice.Name = fmt.Sprintf("%s-%04d", name, i)
		slice.UID = types.UID("slice-" + slice.Name)
		slice.Spec.NodeName = &name
		slice.Spec.Pool.Name = rename(slice.Spec.Pool.Name)
		slice.Spec.Pool.ResourceSliceCount = count
		slice.Spec.Pool.Generation = max(1, slice.Spec.Pool.Generation)
		made = append(made, slice)
	}
	return made
}
