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

package oracle

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/problem"
)

// serving returns the class serving an extended resource, nil if there is none: the newest one with its name, and of
// those created at the same time the first by name (DeviceClassSpec.ExtendedResourceName).
func (w *world) serving(name string) *resourceapi.DeviceClass {
	if class, implicit := strings.CutPrefix(name, resourceapi.ResourceDeviceClassPrefix); implicit {
		return w.classes[class]
	}
	var chosen *resourceapi.DeviceClass
	for i := range w.p.Classes {
		c := &w.p.Classes[i]
		if ptr.Deref(c.Spec.ExtendedResourceName, "") == name && (chosen == nil || chosen.CreationTimestamp.Before(&c.CreationTimestamp) ||
			chosen.CreationTimestamp.Equal(&c.CreationTimestamp) && c.Name < chosen.Name) {
			chosen = c
		}
	}
	return chosen
}

// podOf returns a pod of the outcome in the problem.
func (j *judge) podOf(pod *Pod) *problem.Pod {
	if i := slices.IndexFunc(j.w.p.Pods, func(p problem.Pod) bool { return p.Name == pod.Name }); i >= 0 {
		return &j.w.p.Pods[i]
	}
	return &problem.Pod{}
}

// byClasses returns, sorted, a pod's extended resources that a node serves with devices of classes. The others must fit
// into the capacity of the node's device plugins (KEP-5004, Scheduling for Extended Resource backed by DRA).
func (j *judge) byClasses(pod *Pod, node *problem.Node) (served []string, fits bool) {
	fits = true
	needed := j.podOf(pod).Extended()
	for _, name := range slices.Sorted(maps.Keys(needed)) {
		switch capacity := node.Extended[name]; {
		case capacity > 0:
			total := needed[name]
			for i := range j.outcome.Pods {
				if other := &j.outcome.Pods[i]; other.Node == node.Name && other.Name != pod.Name {
					total += j.podOf(other).Extended()[name]
				}
			}
			fits = fits && total <= capacity
		case j.w.serving(name) != nil:
			served = append(served, name)
		default:
			fits = false
		}
	}
	return served, fits
}

// extendedDemand returns the demand of a pod for extended resources served by classes: a request per container and
// resource, and one per resource for the init containers needing more devices than the containers after them.
func (w *world) extendedDemand(pod *problem.Pod, served []string) *demand {
	claim := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: "extended resources of pod " + pod.Name}}
	for i, name := range served {
		add := func(container string, count int64) {
			if count > 0 {
				claim.Spec.Devices.Requests = append(claim.Spec.Devices.Requests, resourceapi.DeviceRequest{
					Name: fmt.Sprintf("%s-%d", container, i), Exactly: &resourceapi.ExactDeviceRequest{
						DeviceClassName: w.serving(name).Name, AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: count,
					},
				})
			}
		}
		left := pod.Extended()[name]
		for _, c := range pod.Containers {
			if c.Kind != problem.Init {
				add(c.Name, c.Extended[name])
				left -= c.Extended[name]
			}
		}
		add("init", left)
	}
	return w.demandOf(claim)
}

// specialClaims returns the claims made for the extended resources of a pod.
func (j *judge) specialClaims(pod *Pod) []*resourceapi.ResourceClaim {
	var all []*resourceapi.ResourceClaim
	for _, c := range j.claims {
		if owner := metav1.GetControllerOf(c); owner != nil && owner.UID == pod.UID && c.Annotations[resourceapi.ExtendedResourceClaimAnnotation] == "true" {
			all = append(all, c)
		}
	}
	return all
}

// extended checks the extended resources of a bound pod.
func (j *judge) extended(pod *Pod, node *problem.Node) {
	object := "pod " + pod.Namespace + "/" + pod.Name
	served, fits := j.byClasses(pod, node)
	if !fits {
		j.violated(pluginCapacity, object, "on node %s, which cannot serve its extended resources", node.Name)
	}
	claims := j.specialClaims(pod)
	if len(served) == 0 {
		if len(claims) > 0 || pod.Extended != nil {
			j.violated(noSpecialClaim, object, "has a claim for extended resources, which no class serves on node %s", node.Name)
		}
		return
	}
	if len(claims) > 1 {
		j.violated(oneSpecialClaim, object, "has %d claims for extended resources", len(claims))
	}
	if pod.Extended == nil {
		j.violated(claimInStatus, object, "on node %s without a claim for extended resources in its status", node.Name)
		return
	}
	i := slices.IndexFunc(claims, func(c *resourceapi.ResourceClaim) bool { return c.Name == pod.Extended.ResourceClaimName })
	if i < 0 {
		j.violated(claimInStatus, object, "has claim %s in its status, which was not created for its extended resources", pod.Extended.ResourceClaimName)
		return
	}
	m := &mapping{j: j, object: object, pod: j.podOf(pod), served: served, requests: map[string]*mapped{}}
	m.judge(pod.Extended.RequestMappings, claims[i])
}

// extendedOpen explains why it is unknown whether a pending pod could get devices, "" if it is known.
func (j *judge) extendedOpen(pod *Pod) string {
	switch {
	case j.w.off["ExtendedResource"] && len(j.podOf(pod).Extended()) > 0:
		return "feature ExtendedResource is off, but the pod requests extended resources"
	case j.lost():
		return "devices for extended resources of an evicted pod may still be in use"
	}
	return ""
}

// useSpecial adds the claim for extended resources to the claims of each bound pod.
func (j *judge) useSpecial() {
	j.outcome.Pods = slices.Clone(j.outcome.Pods)
	for i := range j.outcome.Pods {
		pod := &j.outcome.Pods[i]
		if pod.Node == "" {
			continue
		}
		for _, c := range j.specialClaims(pod) {
			pod.Claims = append(slices.Clone(pod.Claims), c.Name)
		}
	}
}

// lost reports whether an evicted pod, missing in the outcome, had extended resources. Their claim is deleted some time
// later.
func (j *judge) lost() bool {
	return slices.ContainsFunc(j.w.p.Pods, func(pod problem.Pod) bool {
		return len(pod.Extended()) > 0 && !slices.ContainsFunc(j.outcome.Pods, func(p Pod) bool { return p.Name == pod.Name })
	})
}
