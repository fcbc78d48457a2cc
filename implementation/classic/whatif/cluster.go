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

package whatif

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
	schedulinghelper "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	"k8s.io/klog/v2"

	"github.com/dra-conformance/dratest/implementation/classic/api/v1alpha1"
	"github.com/dra-conformance/dratest/implementation/classic/classicplan"
	"github.com/dra-conformance/dratest/implementation/classic/controller"
)

// cluster is the hypothetical cluster.
type cluster struct {
	name          string
	driver        controller.Driver
	nodes         []*corev1.Node
	inOrder       []*resourceapi.ResourceClaim // as they were
	claims        map[cache.ObjectName]*resourceapi.ResourceClaim
	deviceClasses map[string]*resourceapi.DeviceClass
	classes       map[string]*v1alpha1.ResourceClass
	// failed are allocation errors of claims with immediate allocation.
	failed map[types.UID]string
}

func newCluster(name string, driver controller.Driver, o Objects) *cluster {
	c := &cluster{
		name: name, driver: driver, nodes: o.Nodes, inOrder: slices.Clone(o.Claims), claims: make(map[cache.ObjectName]*resourceapi.ResourceClaim),
		deviceClasses: make(map[string]*resourceapi.DeviceClass), classes: make(map[string]*v1alpha1.ResourceClass), failed: make(map[types.UID]string),
	}
	for _, claim := range o.Claims {
		c.claims[cache.MetaObjectToName(claim)] = claim
	}
	for _, class := range o.DeviceClasses {
		c.deviceClasses[class.Name] = class
	}
	for _, class := range o.Classes {
		c.classes[class.Name] = class
	}
	slices.SortStableFunc(c.inOrder, func(a, b *resourceapi.ResourceClaim) int {
		return a.CreationTimestamp.Compare(b.CreationTimestamp.Time)
	})
	return c
}

type podClaim struct {
	entry   string // its name in the pod's spec
	claim   *resourceapi.ResourceClaim
	request classicplan.Request
	class   *v1alpha1.ResourceClass // nil if there is none
	handled bool                    // the claim is classic
	ours    bool                    // and for this driver
	mistake error
}

func (p *podClaim) forDriver() *controller.Claim {
	return &controller.Claim{Claim: p.claim, Class: p.class, Config: p.request.Config, PodClaim: p.entry}
}

func (c *cluster) look(claim *resourceapi.ResourceClaim, entry string) *podClaim {
	p := &podClaim{entry: entry, claim: claim}
	p.request, p.handled, p.mistake = classicplan.Handled(claim, func(name string) *resourceapi.DeviceClass { return c.deviceClasses[name] })
	p.class = c.classes[p.request.ResourceClass]
	p.ours = p.handled && p.class != nil && string(p.class.DriverName) == c.name
	return p
}

// allocateImmediate has the driver allocate the claims with immediate allocation.
func (c *cluster) allocateImmediate(ctx context.Context) {
	for _, claim := range c.inOrder {
		p := c.look(claim, "")
		if !p.ours || p.mistake != nil || claim.Status.Allocation != nil || claim.DeletionTimestamp != nil || p.request.Config.AllocationMode != v1alpha1.Immediate {
			continue
		}
		asked := p.forDriver()
		var err error
		if asked.Parameters, err = c.driver.Parameters(ctx, asked); err == nil {
			err = c.take(ctx, []*controller.Claim{asked}, "")
		}
		if err != nil {
			c.failed[claim.UID] = err.Error()
		}
	}
}

// claimsOf returns a pod's claims relevant for its nodes: classic ones and all allocated ones;
// others are names of claims waiting for other drivers. why is a reason excluding all nodes.
func (c *cluster) claimsOf(pod *corev1.Pod) (claims []*podClaim, others []string, why string) {
	for i := range pod.Spec.ResourceClaims {
		entry := &pod.Spec.ResourceClaims[i]
		name, mustCheckOwner, err := resourceclaim.Name(pod, entry)
		if err == nil && name == nil {
			continue // No claim can be generated.
		}
		var claim *resourceapi.ResourceClaim
		if err == nil {
			claim = c.claims[cache.NewObjectName(pod.Namespace, *name)]
		}
		if claim == nil || mustCheckOwner && resourceclaim.IsForPod(pod, claim, false) != nil {
			why = cmp.Or(why, fmt.Sprintf("the claim of entry %s is not there yet", entry.Name))
			continue
		}
		p := c.look(claim, entry.Name)
		if claim.Status.Allocation == nil && !p.ours {
			others = append(others, claim.Name)
			continue
		}
		claims = append(claims, p)
		if reason := c.unusable(p, pod); reason != "" {
			why = cmp.Or(why, fmt.Sprintf("resource claim %s: %s", claim.Name, reason))
		}
	}
	return claims, others, why
}

// unusable returns why a pod could not be scheduled with a claim on any node.
func (c *cluster) unusable(p *podClaim, pod *corev1.Pod) string {
	switch {
	case p.mistake != nil:
		return p.mistake.Error()
	case p.claim.Status.Allocation != nil:
		why, err := classicplan.Usable(p.claim, nil, pod.UID)
		if err != nil {
			return err.Error()
		}
		return why
	case p.claim.DeletionTimestamp != nil:
		return "it is being deleted"
	default:
		return c.failed[p.claim.UID]
	}
}

// places returns the actual or possible locations of a pod's claims. Errors are selectors the API
// server would have rejected.
func places(claims []*podClaim) ([]classicplan.Place, error) {
	var found []classicplan.Place
	for _, p := range claims {
		place := classicplan.Place{Allocated: p.claim.Status.Allocation != nil, Class: p.request.ResourceClass}
		var selector *corev1.NodeSelector
		if place.Allocated {
			selector = p.claim.Status.Allocation.NodeSelector
		} else {
			selector = p.class.SuitableNodes
		}
		if selector != nil {
			var err error
			if place.Nodes, err = nodeaffinity.NewNodeSelector(selector); err != nil {
				return nil, fmt.Errorf("node selector of claim %s or its class: %w", p.claim.Name, err)
			}
		}
		found = append(found, place)
	}
	return found, nil
}

// fitting returns the nodes that do not exclude the pod, and why the others do.
func (c *cluster) fitting(ctx context.Context, pod *corev1.Pod, places []classicplan.Place) ([]*corev1.Node, *refusals) {
	refused := &refusals{has: make(map[string]bool), counts: make(map[string]int)}
	wanted := nodeaffinity.GetRequiredNodeAffinity(pod)
	var nodes []*corev1.Node
	for _, node := range c.nodes {
		matches, err := wanted.Match(node)
		stuck, why := classicplan.Fits(places, nil, node)
		_, tainted := schedulinghelper.FindMatchingUntoleratedTaint(klog.FromContext(ctx), node.Spec.Taints, pod.Spec.Tolerations, keepsAway, true)
		switch {
		case err != nil || !matches:
			refused.add(node.Name, "the pod is not for such nodes")
		case tainted:
			refused.add(node.Name, "the node has a taint that the pod does not tolerate")
		case why != "":
			refused.add(node.Name, why)
		case len(stuck) > 0:
			refused.add(node.Name, "a claim is allocated elsewhere")
		default:
			nodes = append(nodes, node)
		}
	}
	return nodes, refused
}

func keepsAway(taint *corev1.Taint) bool { return taint.Effect != corev1.TaintEffectPreferNoSchedule }

// take has the driver allocate all claims for a node, or none.
func (c *cluster) take(ctx context.Context, claims []*controller.Claim, node string) error {
	for i, asked := range claims {
		allocation, err := c.driver.Allocate(ctx, asked, node)
		if err != nil {
			for _, taken := range claims[:i+1] {
				if err := c.free(ctx, taken.Claim); err != nil {
					return err
				}
			}
			return err
		}
		c.allocated(asked.Claim, allocation)
	}
	return nil
}

func (c *cluster) free(ctx context.Context, claim *resourceapi.ResourceClaim) error {
	c.claims[cache.MetaObjectToName(claim)] = claim
	record := &v1alpha1.ClassicClaim{Spec: v1alpha1.ClassicClaimSpec{ClaimUID: claim.UID}}
	record.Namespace, record.Name = claim.Namespace, claim.Name
	return c.driver.Deallocate(ctx, record)
}

func (c *cluster) allocated(claim *resourceapi.ResourceClaim, a *controller.Allocation) {
	changed := claim.DeepCopy()
	result := &resourceapi.AllocationResult{NodeSelector: a.Nodes}
	for _, device := range a.Devices {
		result.Devices.Results = append(result.Devices.Results, resourceapi.DeviceRequestAllocationResult{Driver: c.name, Pool: device.Pool, Device: device.Device})
	}
	result.Devices.Config = []resourceapi.DeviceAllocationConfiguration{{
		DeviceConfiguration: v1alpha1.AllocationConfig{ResourceHandle: a.Handle, UserLimit: cmp.Or(a.UserLimit, 1)}.DeviceConfiguration(),
	}}
	changed.Status.Allocation = result
	c.claims[cache.MetaObjectToName(claim)] = changed
}

// reserve reserves a pod's claims, and returns those of the driver.
func (c *cluster) reserve(pod *corev1.Pod, claims []*podClaim) []*resourceapi.ResourceClaim {
	var ours []*resourceapi.ResourceClaim
	for _, p := range claims {
		name := cache.MetaObjectToName(p.claim)
		changed := c.claims[name].DeepCopy()
		user := resourceapi.ResourceClaimConsumerReference{Resource: "pods", Name: pod.Name, UID: pod.UID}
		if !slices.Contains(changed.Status.ReservedFor, user) {
			changed.Status.ReservedFor = append(changed.Status.ReservedFor, user)
		}
		c.claims[name] = changed
		if p.ours {
			ours = append(ours, changed)
		}
	}
	return ours
}
