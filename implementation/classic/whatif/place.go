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
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	schedulinghelper "k8s.io/component-helpers/scheduling/corev1"

	"github.com/dra-conformance/dratest/implementation/claimplan"
	"github.com/dra-conformance/dratest/implementation/classic/api/v1alpha1"
	"github.com/dra-conformance/dratest/implementation/classic/controller"
)

// Objects are the objects of a cluster, with hypothetical nodes. They are read only.
type Objects struct {
	// Nodes are tried in this order.
	Nodes         []*corev1.Node
	Pods          []*corev1.Pod
	Claims        []*resourceapi.ResourceClaim
	DeviceClasses []*resourceapi.DeviceClass
	Classes       []*v1alpha1.ResourceClass
}

// Placement is the prediction for a pod.
type Placement struct {
	Pod *corev1.Pod
	// Node is empty if no node serves the pod; then Reason is set.
	Node, Reason string
	// Claims are the pod's predicted claims of this driver.
	Claims []*resourceapi.ResourceClaim
	// Others are names of claims waiting for other drivers or the scheduler.
	Others []string
}

// Place returns the placement of unbound pods with claims of a driver, in scheduling order: by
// priority and age. Each goes to the first node serving all its claims, and later pods get the
// rest. Errors are those of Simulate and of ctx; other errors are the reason of a placement.
func Place(ctx context.Context, name string, driver controller.Simulator, objects Objects) ([]Placement, error) {
	copied, err := driver.Simulate(ctx, objects.Nodes)
	if err != nil {
		return nil, fmt.Errorf("simulate driver %s: %w", name, err)
	}
	c := newCluster(name, copied, objects)
	c.allocateImmediate(ctx)
	var placements []Placement
	for _, pod := range waiting(objects.Pods) {
		if p, ours := c.place(ctx, pod); ours {
			placements = append(placements, p)
		}
	}
	return placements, ctx.Err()
}

// waiting returns pods a scheduler would try, in its order.
func waiting(pods []*corev1.Pod) []*corev1.Pod {
	var found []*corev1.Pod
	for _, pod := range pods {
		if pod.Spec.NodeName == "" && len(pod.Spec.SchedulingGates) == 0 && len(pod.Spec.ResourceClaims) > 0 && !claimplan.Done(pod) {
			found = append(found, pod)
		}
	}
	slices.SortFunc(found, func(a, b *corev1.Pod) int {
		return cmp.Or(
			cmp.Compare(schedulinghelper.PodPriority(b), schedulinghelper.PodPriority(a)),
			a.CreationTimestamp.Compare(b.CreationTimestamp.Time),
			cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	return found
}

// place predicts a pod's placement; ours reports whether it has a claim of the driver.
func (c *cluster) place(ctx context.Context, pod *corev1.Pod) (p Placement, ours bool) {
	p.Pod = pod
	claims, others, why := c.claimsOf(pod)
	ours = slices.ContainsFunc(claims, func(claim *podClaim) bool { return claim.ours })
	p.Others, p.Reason = others, why
	if !ours || why != "" {
		return p, ours
	}
	where, err := places(claims)
	if err != nil {
		p.Reason = err.Error()
		return p, true
	}
	nodes, refused := c.fitting(ctx, pod, where)
	pending, why := c.ask(ctx, pod, claims, nodes, refused)
	for _, node := range nodes {
		if why != "" || refused.has[node.Name] {
			continue
		}
		if err := c.take(ctx, pending, node.Name); err != nil {
			refused.add(node.Name, err.Error())
			continue
		}
		p.Node = node.Name
		p.Claims = c.reserve(pod, claims)
		return p, true
	}
	p.Reason = cmp.Or(why, refused.String())
	return p, true
}

// ask lets the driver exclude nodes, and returns the claims to allocate. why is a driver error
// excluding all nodes.
func (c *cluster) ask(ctx context.Context, pod *corev1.Pod, claims []*podClaim, nodes []*corev1.Node, refused *refusals) (pending []*controller.Claim, why string) {
	for _, claim := range claims {
		if !claim.ours || claim.claim.Status.Allocation != nil {
			continue
		}
		asked := claim.forDriver()
		var err error
		if asked.Parameters, err = c.driver.Parameters(ctx, asked); err != nil {
			return nil, fmt.Sprintf("resource claim %s: read parameters: %v", claim.claim.Name, err)
		}
		pending = append(pending, asked)
	}
	if len(pending) == 0 || len(nodes) == 0 {
		return pending, ""
	}
	var names []string
	for _, node := range nodes {
		names = append(names, node.Name)
	}
	unsuitable, err := c.driver.UnsuitableNodes(ctx, pod, pending, names)
	if err != nil {
		return nil, "ask which nodes are unsuitable: " + err.Error()
	}
	for _, of := range unsuitable {
		for _, node := range of {
			refused.add(node, "the driver cannot allocate all claims")
		}
	}
	return pending, ""
}

// refusals are the reasons of unsuitable nodes.
type refusals struct {
	has    map[string]bool
	counts map[string]int
}

func (r *refusals) add(node, why string) {
	if r.has[node] {
		return
	}
	r.has[node] = true
	r.counts[why]++
}

// String formats refusals as "2 nodes, none serves: 1: why not, 1: why else not".
func (r *refusals) String() string {
	if len(r.has) == 0 {
		return "there are no nodes"
	}
	var whys []string
	for why, count := range r.counts {
		whys = append(whys, fmt.Sprintf("%d: %s", count, why))
	}
	slices.Sort(whys)
	return fmt.Sprintf("%d nodes, none serves: %s", len(r.has), strings.Join(whys, ", "))
}
