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

package scheduler

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/utils/ptr"
)

// specialClaimName is the name of the special claim until PreBind creates it. It is an invalid name,
// to avoid conflicts, and known to the DRA manager.
const specialClaimName = "<extended-resources>"

// extendedResource is an extended resource requested by a pod.
type extendedResource struct {
	name v1.ResourceName
	// class serving it; nil leaves it to a device plugin.
	class *resourceapi.DeviceClass
}

// extendedResourcesOf returns the extended resources of a pod sorted by name, nil if no class serves
// any of them (KEP-5004).
func (pl *Plugin) extendedResourcesOf(pod *v1.Pod) []extendedResource {
	if !pl.features.ExtendedResource {
		return nil
	}
	resolver := pl.dra.DeviceClassResolver()
	var resources []extendedResource
	served := false
	add := func(container *v1.Container) {
		for name, quantity := range container.Resources.Requests {
			if quantity.IsZero() || !isExtendedResource(name) {
				continue
			}
			if slices.ContainsFunc(resources, func(r extendedResource) bool { return r.name == name }) {
				continue
			}
			class := resolver.GetDeviceClass(name)
			served = served || class != nil
			resources = append(resources, extendedResource{name: name, class: class})
		}
	}
	for i := range pod.Spec.InitContainers {
		add(&pod.Spec.InitContainers[i])
	}
	for i := range pod.Spec.Containers {
		add(&pod.Spec.Containers[i])
	}
	if !served {
		return nil
	}
	slices.SortFunc(resources, func(a, b extendedResource) int { return strings.Compare(string(a.name), string(b.name)) })
	return resources
}

// cameLate returns an extended resource missed by both plugins: NodeResourcesFit left it to this
// plugin, because a class serves it and the node does not, but the class appeared after PreFilter. The
// pod would run without devices, as with DynamicResources v1.37.1.
func (pl *Plugin) cameLate(a *attempt, pod *v1.Pod, nodeName string) (*extendedResource, error) {
	for _, r := range pl.extendedResourcesOf(pod) {
		if r.class == nil || a.extended.serves(r.name) {
			continue
		}
		node, err := pl.handle.SnapshotSharedLister().NodeInfos().Get(nodeName)
		if err != nil {
			return nil, fmt.Errorf("look up node %s: %w", nodeName, err)
		}
		if node.GetAllocatable().GetScalarResources()[r.name] == 0 {
			return &r, nil
		}
	}
	return nil, nil
}

// isExtendedResource reports whether a device class may serve a resource: its name is outside of
// Kubernetes' domains, or refers to a class.
func isExtendedResource(name v1.ResourceName) bool {
	s := string(name)
	if strings.HasPrefix(s, resourceapi.ResourceDeviceClassPrefix) {
		return true
	}
	if !strings.Contains(s, "/") || strings.Contains(s, v1.ResourceDefaultNamespacePrefix) || strings.HasPrefix(s, v1.DefaultResourceRequestsPrefix) {
		return false
	}
	return len(validation.IsQualifiedName(v1.DefaultResourceRequestsPrefix+s)) == 0
}

// extendedDemand is the demand of a pod's extended resources. The special claim excludes resources
// served by a node's device plugins. There is one variant per set of remaining resources, not per
// node.
type extendedDemand struct {
	pod       *v1.Pod
	resources []extendedResource
	// template is the special claim without requests.
	template *resourceapi.ResourceClaim
	// stale is the special claim of an earlier attempt; template is nil then. The claim is deleted before
	// the pod is retried.
	stale *resourceapi.ResourceClaim

	mu       sync.Mutex
	variants map[resourceSet]*variant
}

// serves reports whether the special claim can have devices for a resource.
func (e *extendedDemand) serves(name v1.ResourceName) bool {
	return e != nil && slices.ContainsFunc(e.resources, func(r extendedResource) bool { return r.name == name && r.class != nil })
}

// variant is the special claim for one set of resources.
type variant struct {
	claim    *resourceapi.ResourceClaim
	mappings []v1.ContainerExtendedResourceRequest

	once   sync.Once
	demand *demand
	err    error
}

// resourceSet has a '1' for each of extendedDemand.resources in the set, a '0' for the others.
type resourceSet string

func (s resourceSet) any() bool { return strings.Contains(string(s), "1") }

// prepareExtended adds the special claim to the attempt.
func (pl *Plugin) prepareExtended(logger klog.Logger, pod *v1.Pod, resources []extendedResource, a *attempt) *fwk.Status {
	name, err := pl.cluster.specialClaim(pod.UID)
	if err != nil {
		return failed(logger, fmt.Errorf("look up claim for extended resources: %w", err))
	}
	a.extended = &extendedDemand{pod: pod, resources: resources}
	if name != "" {
		if claim, err := pl.dra.ResourceClaims().Get(pod.Namespace, name); err == nil {
			// Checking whether its allocation is still valid is too complex. PostFilter deletes it and retries
			// the pod.
			a.extended.stale = claim
			a.claims = append(a.claims, &claimAttempt{claim: claim})
			return unschedulable(logger, "cannot schedule extended resource claim", "pod", klog.KObj(pod), "resourceclaim", klog.KObj(claim))
		}
	}
	a.extended.template = newSpecialClaim(pod)
	a.claims = append(a.claims, &claimAttempt{claim: a.extended.template})
	return nil
}

// newSpecialClaim returns the claim for a pod's extended resources without requests and final name.
func newSpecialClaim(pod *v1.Pod) *resourceapi.ResourceClaim {
	return &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{
		Namespace:    pod.Namespace,
		Name:         specialClaimName,
		UID:          uuid.NewUUID(), // until the API server assigns one
		GenerateName: pod.Name + "-extended-resources-",
		Annotations:  map[string]string{resourceapi.ExtendedResourceClaimAnnotation: "true"},
		OwnerReferences: []metav1.OwnerReference{{
			APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID, Controller: ptr.To(true),
		}},
	}}
}

// delegated returns the resources served by a class but not by the node's device plugins, or the name
// of one served by neither.
func (e *extendedDemand) delegated(allocatable map[v1.ResourceName]int64) (set resourceSet, missing v1.ResourceName) {
	bits := make([]byte, len(e.resources))
	for i, r := range e.resources {
		bits[i] = '0'
		count, known := allocatable[r.name]
		switch {
		case r.class != nil && count == 0:
			bits[i] = '1'
		case !known:
			return "", r.name
		}
	}
	return resourceSet(bits), ""
}

// variantFor returns the variant for a set of resources, created once.
func (e *extendedDemand) variantFor(set resourceSet, prepare func(*variant) (*demand, error)) *variant {
	v := e.entry(set)
	v.once.Do(func() {
		var delegated []extendedResource
		for i, r := range e.resources {
			if set[i] == '1' {
				delegated = append(delegated, r)
			}
		}
		v.claim = e.template.DeepCopy()
		v.claim.Spec.Devices.Requests, v.mappings = extendedRequests(e.pod, delegated)
		v.demand, v.err = prepare(v)
	})
	return v
}

func (e *extendedDemand) entry(set resourceSet) *variant {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.variants == nil {
		e.variants = make(map[resourceSet]*variant)
	}
	if e.variants[set] == nil {
		e.variants[set] = &variant{}
	}
	return e.variants[set]
}
