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
	"maps"
	"slices"
	"strings"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/problem"
	"github.com/dra-conformance/dratest/framework/problem/reduce"
)

const (
	// shrunkEach limits the minimized findings per promise.
	shrunkEach = 2
	// shrinkAttempts limits the attempts to minimize a finding.
	shrinkAttempts = 150
	// shrinkTime limits the time to minimize a finding: more than two at a time are rare, and CI ends a short
	// exploration after six minutes.
	shrinkTime = 2 * time.Minute
)

// shrink returns the smallest problem found with a violation of the same promise.
func (e *exploring) shrink(ctx context.Context, s *slot, f Finding, t *trial) (Finding, *trial) {
	if !e.mayShrink(f) {
		return f, t
	}
	number, end := 0, time.Now().Add(shrinkTime)
	old := t.id
	reduce.Problem(bare(t.problem), func(smaller *problem.Problem) bool {
		if number == shrinkAttempts || time.Now().After(end) || ctx.Err() != nil || !alone(smaller, old) {
			return false
		}
		number++
		verdict, tried, err := e.attempt(ctx, s, renamed(smaller, old), fmt.Sprintf("x%ds%dx", f.Number, number))
		found := common(f.Violations, verdict.Violations)
		if err != nil || len(found) == 0 {
			return false
		}
		f.Violations, t = found, tried
		return true
	})
	return f, t
}

func (e *exploring) mayShrink(f Finding) bool {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	e.shrunk[f.Violations[0].Promise]++
	return e.shrunk[f.Violations[0].Promise] <= shrunkEach && e.replayed == nil && !e.options.First
}

// bare returns a copy of a problem without metadata added by the API server.
func bare(p *problem.Problem) *problem.Problem {
	p = p.Copy()
	for i := range p.Slices {
		p.Slices[i].ObjectMeta = plain(p.Slices[i].ObjectMeta)
	}
	for i := range p.Classes {
		p.Classes[i].ObjectMeta = plain(p.Classes[i].ObjectMeta)
	}
	for i := range p.Rules {
		p.Rules[i].ObjectMeta = plain(p.Rules[i].ObjectMeta)
	}
	for _, claims := range [][]resourceapi.ResourceClaim{p.Allocated, p.Claims} {
		for i := range claims {
			claims[i].ObjectMeta = plain(claims[i].ObjectMeta)
		}
	}
	return p
}

// alone reports whether a smaller problem is still isolated and complete: classes select only its
// devices, and the claims of its pods and their classes exist.
func alone(p *problem.Problem, id string) bool {
	for i := range p.Classes {
		selectors := p.Classes[i].Spec.Selectors
		if len(selectors) == 0 || !strings.Contains(selectors[0].CEL.Expression, "."+id+domain) {
			return false
		}
	}
	classes, names := map[string]bool{}, map[string]bool{}
	for i := range p.Classes {
		classes[p.Classes[i].Name] = true
	}
	for _, claims := range [][]resourceapi.ResourceClaim{p.Allocated, p.Claims} {
		for i := range claims {
			names[claims[i].Name] = true
			if slices.ContainsFunc(problem.Requests(&claims[i]), func(r problem.Request) bool { return !classes[r.DeviceClassName] }) {
				return false
			}
		}
	}
	return !slices.ContainsFunc(p.Pods, func(pod problem.Pod) bool {
		return len(pod.Claims)+len(pod.Extended()) == 0 || !retried(p, pod) ||
			slices.ContainsFunc(pod.Claims, func(claim string) bool { return !names[claim] })
	})
}

// retried reports whether a class serves each extended resource of a pod, also on a node without device plugins for
// it. Otherwise the scheduler may not retry the pod. It may not know the name of a class sharing its extended resource.
func retried(p *problem.Problem, pod problem.Pod) bool {
	needed := pod.Extended()
	for name := range needed {
		if !slices.ContainsFunc(p.Classes, func(c resourceapi.DeviceClass) bool {
			return ptr.Deref(c.Spec.ExtendedResourceName, "") == name || resourceapi.ResourceDeviceClassPrefix+c.Name == name && !p.SharesName(&c)
		}) {
			return false
		}
	}
	return slices.ContainsFunc(p.Nodes, func(n problem.Node) bool {
		return !slices.ContainsFunc(slices.Collect(maps.Keys(n.Extended)), func(name string) bool { return needed[name] > 0 })
	})
}
