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

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"
)

// kind is a set of pods with the same shape.
type kind struct {
	pods []*v1.Pod
	// fits is the number of these pods on an otherwise empty new node of each group. If the kind is not
	// plain, more may fit next to other pods.
	fits  []int
	plain bool
	// devices is the minimum number of exclusive devices per pod, 0 if unknown.
	devices int
	// failed: an attempt ended in an error. It may succeed next to other pods, so fits is not the maximum.
	failed bool
}

// measure computes fits for each kind and group, and returns the reasons of pods without a group.
func (g *growing) measure(ctx context.Context) (map[*v1.Pod]string, error) {
	byShape := make(map[string]int)
	var kinds []kind
	for _, pod := range g.waiting {
		shape := g.shape(pod)
		i, ok := byShape[shape]
		if !ok || shape == "" {
			i = len(kinds)
			kinds = append(kinds, kind{})
			byShape[shape] = i
		}
		kinds[i].pods = append(kinds[i].pods, pod)
		kinds[i].failed = kinds[i].failed || g.failed[pod]
	}
	reasons := make(map[*v1.Pod]string)
	served := make(map[*v1.Pod]bool)
	for _, k := range kinds {
		any, reason := false, ""
		for i, group := range g.groups {
			f, err := g.fits(ctx, i, k.pods)
			if err != nil {
				return nil, err
			}
			k.fits = append(k.fits, f.pods)
			k.failed = k.failed || f.last.failed
			if f.pods > 0 && (!any || f.devices < k.devices) {
				k.devices = f.devices
			}
			if f.pods > 0 {
				k.plain = f.plain && (!any || k.plain)
			} else {
				reason += fmt.Sprintf("; a node of group %s: %s", group.Name, f.last.why())
			}
			any = any || f.pods > 0
		}
		for _, pod := range k.pods {
			served[pod] = any || k.failed
			if !any {
				reasons[pod] = reason
			}
		}
		if any || k.failed {
			for _, pod := range k.pods {
				g.kindOf[pod] = len(g.kinds)
			}
			g.kinds = append(g.kinds, k)
		}
	}
	var left []*v1.Pod
	for _, pod := range g.waiting {
		if served[pod] {
			left = append(left, pod)
		}
	}
	g.waiting = left
	return reasons, nil
}

// measured is the result of placing equal pods on an otherwise empty new node.
type measured struct {
	pods int // number of fitting pods
	// devices and plain describe the first pod; last is the first pod without room.
	devices int
	plain   bool
	last    Placement
}

// fits places equal pods on a new node of a group.
func (g *growing) fits(ctx context.Context, index int, pods []*v1.Pod) (measured, error) {
	g.Fork()
	defer g.Revert()
	group, name := g.groups[index], g.namesOf(index, 1)[0]
	_, refused, err := g.addNode(ctx, &group.Template, name)
	if err != nil {
		return measured{}, err
	}
	if refused != "" {
		g.refused[index] = true
		return measured{last: Placement{Reason: refused}}, nil // the group is useless
	}
	alternatives := g.hasAlternatives(pods[0])
	var f measured
	for _, pod := range pods {
		p, err := g.place(ctx, pod, on(name))
		if err != nil {
			return measured{}, err
		}
		if p.Node == "" {
			p.why() // later attempts see other nodes
			f.last = p
			return f, nil
		}
		if f.pods == 0 {
			f.plain = isPlain(p.Claims)
			if !alternatives {
				f.devices = p.ownDevices(group.pools(name))
			}
		}
		f.pods++
	}
	return f, nil
}

// isPlain reports whether the claims have a single request with interchangeable devices: other pods
// can only take devices away.
func isPlain(claims []*resourceapi.ResourceClaim) bool {
	requests := 0
	for _, claim := range claims {
		requests += len(claim.Spec.Devices.Requests)
		if len(claim.Spec.Devices.Constraints) > 0 || requests > 1 || requests == 1 && claim.Spec.Devices.Requests[0].Exactly == nil {
			return false
		}
	}
	return true
}

// ownDevices counts the exclusive devices from some pools.
func (p *Placement) ownDevices(pools map[poolID]bool) int {
	n := 0
	for _, claim := range p.Claims {
		if len(claim.Status.ReservedFor) > 1 {
			continue
		}
		for _, r := range claim.Status.Allocation.Devices.Results {
			if pools[poolID{r.Driver, r.Pool}] && r.ShareID == nil && !ptr.Deref(r.AdminAccess, false) {
				n++
			}
		}
	}
	return n
}
