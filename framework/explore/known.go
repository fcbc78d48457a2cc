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

package explore

import (
	"context"
	"fmt"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/plan"
	"github.com/dra-conformance/dratest/framework/problem"
	"github.com/dra-conformance/dratest/framework/problem/oracle"
	"github.com/dra-conformance/dratest/framework/spec"
)

// knownIssue excuses findings caused by its pattern: without the pattern, the promise is kept.
type knownIssue struct {
	spec.KnownIssue

	// breaks lists the promises that the issue may break; empty for any.
	breaks []string
	// without removes the pattern from a problem, and returns false if there is none.
	without func(*problem.Problem) bool
}

func knownIssues() []knownIssue {
	return []knownIssue{
		{
			spec.KnownIssue{
				Issue: "kubernetes#142202", Component: spec.Scheduler, Through: "1.37", Review: "2027-01-31",
				Does: "Names of capacities are compared as they are written.",
			},
			nil, localCapacities,
		},
		{
			spec.KnownIssue{
				Issue: "staging/src/k8s.io/dynamic-resource-allocation/structured/internal/incubating/pools_incubating.go", Component: spec.Scheduler, Through: "1.37", Review: "2027-01-31",
				Does: "Devices are allocated from old slices that are complete for a node (docs/findings/old-pool-generation.md).",
			},
			nil, newestSlices,
		},
		{
			spec.KnownIssue{
				Issue: "staging/src/k8s.io/dynamic-resource-allocation/structured/internal/incubating/allocator_incubating.go", Component: spec.Scheduler, Through: "1.37", Review: "2027-01-31",
				Does: "A device with admin access is not available to later claims of the pod, and admin access needs free capacity and counters (docs/findings/admin-access-blocks.md).",
			},
			[]string{"kep-4381/node-fits-only-if-allocatable", "kep-4381/deallocates-if-stuck", "kep-4816/alternatives-in-order"}, ordinaryRequests,
		},
	}
}

// localCapacities removes the driver's domain from capacity names.
func localCapacities(p *problem.Problem) bool {
	found := false
	for i := range p.Slices {
		spec := &p.Slices[i].Spec
		for d := range spec.Devices {
			capacity := spec.Devices[d].Capacity
			for name, c := range capacity {
				if local, ok := strings.CutPrefix(string(name), spec.Driver+"/"); ok {
					delete(capacity, name)
					capacity[resourceapi.QualifiedName(local)] = c
					found = true
				}
			}
		}
	}
	return found
}

// newestSlices removes slices of old pool generations.
func newestSlices(p *problem.Problem) bool {
	type pool struct{ driver, name string }
	newest := map[pool]int64{}
	of := func(s *resourceapi.ResourceSlice) pool { return pool{s.Spec.Driver, s.Spec.Pool.Name} }
	for i := range p.Slices {
		s := &p.Slices[i]
		newest[of(s)] = max(newest[of(s)], s.Spec.Pool.Generation)
	}
	all := len(p.Slices)
	p.Slices = slices.DeleteFunc(p.Slices, func(s resourceapi.ResourceSlice) bool { return s.Spec.Pool.Generation < newest[of(&s)] })
	return len(p.Slices) < all
}

// ordinaryRequests removes requests with admin access, and claims left without requests. Pods with no
// other claims keep them, unless devices are shared.
func ordinaryRequests(p *problem.Problem) bool {
	found := false
	gone := map[string]bool{}
	for i := range p.Claims {
		claim := &p.Claims[i]
		if !slices.ContainsFunc(claim.Spec.Devices.Requests, func(r resourceapi.DeviceRequest) bool { return !admin(r) }) {
			gone[claim.Name] = true
			continue
		}
		found = withoutAdmin(&claim.Spec.Devices) || found
	}
	shared := slices.ContainsFunc(p.Slices, func(s resourceapi.ResourceSlice) bool {
		return slices.ContainsFunc(s.Spec.Devices, func(d resourceapi.Device) bool { return ptr.Deref(d.AllowMultipleAllocations, false) })
	})
	pods := len(p.Pods)
	p.Pods = slices.DeleteFunc(p.Pods, func(pod problem.Pod) bool {
		return shared && !slices.ContainsFunc(pod.Claims, func(name string) bool { return !gone[name] })
	})
	found = found || len(p.Pods) < pods
	for i := range p.Pods {
		pod := &p.Pods[i]
		others := slices.DeleteFunc(slices.Clone(pod.Claims), func(name string) bool { return gone[name] })
		if len(others) > 0 && len(others) < len(pod.Claims) {
			pod.Claims, found = others, true
		}
	}
	return found
}

func admin(r resourceapi.DeviceRequest) bool {
	return r.Exactly != nil && ptr.Deref(r.Exactly.AdminAccess, false)
}

// withoutAdmin removes requests with admin access, and references to them.
func withoutAdmin(devices *resourceapi.DeviceClaim) bool {
	gone := map[string]bool{}
	for _, r := range devices.Requests {
		gone[r.Name] = admin(r)
	}
	all := len(devices.Requests)
	devices.Requests = slices.DeleteFunc(devices.Requests, admin)
	// left returns the remaining names, and false if there were others only.
	left := func(names []string) ([]string, bool) {
		others := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return gone[name] })
		return others, len(names) == 0 || len(others) > 0
	}
	var constraints []resourceapi.DeviceConstraint
	for _, c := range devices.Constraints {
		if names, ok := left(c.Requests); ok {
			c.Requests = names
			constraints = append(constraints, c)
		}
	}
	var config []resourceapi.DeviceClaimConfiguration
	for _, c := range devices.Config {
		if names, ok := left(c.Requests); ok {
			c.Requests = names
			config = append(config, c)
		}
	}
	devices.Constraints, devices.Config = constraints, config
	return len(devices.Requests) < all
}

// excused returns the known issues explaining a finding, "" for none: one of them, or all of them
// together.
func (e *exploring) excused(ctx context.Context, s *slot, f Finding, t *trial) string {
	var names []string
	all := bare(t.problem)
	for i, known := range knownIssues() {
		p := bare(t.problem)
		if plan.ExcuseFor(known.KnownIssue, e.bed.Target, nil).Not != "" || !known.mayBreak(f.Violations) || !known.without(p) || len(p.Pods) == 0 {
			continue
		}
		if e.keeps(ctx, s, f, renamed(p, t.id), fmt.Sprintf("x%dk%dx", f.Number, i)) {
			return known.Issue
		}
		known.without(all)
		names = append(names, known.Issue)
	}
	if len(names) > 1 && e.keeps(ctx, s, f, renamed(all, t.id), fmt.Sprintf("x%dkx", f.Number)) {
		return strings.Join(names, ", ")
	}
	return ""
}

// mayBreak reports whether the issue may break all promises of these violations.
func (k *knownIssue) mayBreak(violations []oracle.Violation) bool {
	return len(k.breaks) == 0 || !slices.ContainsFunc(violations, func(v oracle.Violation) bool { return !slices.Contains(k.breaks, v.Promise) })
}

// keeps reports whether all promises of a finding are kept in another problem.
func (e *exploring) keeps(ctx context.Context, s *slot, f Finding, of subject, id string) bool {
	verdict, _, err := e.attempt(ctx, s, of, id)
	return err == nil && len(common(f.Violations, verdict.Violations)) == 0
}
