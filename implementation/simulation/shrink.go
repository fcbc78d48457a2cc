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
	"context"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"
	"k8s.io/utils/ptr"
)

// Departure is the result of removing a node.
type Departure struct {
	// Possible: all pods that have to move fit elsewhere.
	Possible bool
	// Moved are the pods that have to move, in the order of attempts.
	Moved []Placement
	// Blockers are claims on the node's devices in use by pods elsewhere, and why.
	Blockers []string
}

// Shrink reports whether all pods of a node fit elsewhere if the node is removed with its devices.
// DaemonSet and static pods are ignored. Nothing is changed.
//
// A claim shared with pods on other nodes keeps its devices, so its pods can only move to nodes with
// access to them. Claims used only by pods of this node are reallocated.
func (s *Simulation) Shrink(ctx context.Context, name string) (Departure, error) {
	info := s.nodes.byName[name]
	if info == nil {
		return Departure{}, fmt.Errorf("shrink: there is no node %s", name)
	}
	s.Fork()
	defer s.Revert()
	s.memory = s.memory.forget() // Removing a node may improve others for a pod.
	var moving []*v1.Pod
	for _, p := range slices.Clone(info.Pods) {
		pod := p.GetPod()
		s.manager.Release(pod)
		if stays(pod) {
			continue
		}
		evicted := pod.DeepCopy()
		evicted.Spec.NodeName, evicted.Status.NominatedNodeName = "", ""
		moving = append(moving, evicted)
	}
	slices.SortStableFunc(moving, before)
	s.manager.OnRevert(s.nodes.remove(name))
	gone := make(map[poolID]bool)
	s.manager.RemoveSlices(func(slice *resourceapi.ResourceSlice) bool {
		local := ptr.Deref(slice.Spec.NodeName, "") == name
		if local {
			gone[poolOf(slice)] = true
		}
		return local
	})
	d := Departure{}
	var err error
	if d.Blockers, err = s.blockers(gone); err != nil {
		return Departure{}, err
	}
	if d.Moved, err = s.Place(ctx, moving); err != nil {
		return Departure{}, err
	}
	d.Possible = len(d.Blockers) == 0 && !slices.ContainsFunc(d.Moved, func(p Placement) bool { return p.Node == "" })
	return d, nil
}

// stays reports whether a pod ends with its node.
func stays(pod *v1.Pod) bool {
	owner := metav1.GetControllerOf(pod)
	return owner != nil && (owner.Kind == "DaemonSet" || owner.Kind == "Node")
}

// blockers returns the claims with devices of removed pools.
func (s *Simulation) blockers(gone map[poolID]bool) ([]string, error) {
	claims, err := s.manager.ResourceClaims().List()
	if err != nil {
		return nil, fmt.Errorf("list claims: %w", err)
	}
	var blockers []string
	for _, claim := range claims {
		if claim.Status.Allocation == nil || len(claim.Status.ReservedFor) == 0 {
			continue
		}
		if slices.ContainsFunc(claim.Status.Allocation.Devices.Results, func(r resourceapi.DeviceRequestAllocationResult) bool {
			return gone[poolID{r.Driver, r.Pool}]
		}) {
			user := claim.Status.ReservedFor[0]
			blockers = append(blockers, fmt.Sprintf("claim %s has devices of the node and is reserved for %s %s, which is not on the node", klog.KObj(claim), user.Resource, user.Name))
		}
	}
	return blockers, nil
}
