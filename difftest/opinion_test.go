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

package difftest

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/problem"
	"github.com/dra-conformance/dratest/framework/problem/generate"
	"github.com/dra-conformance/dratest/framework/problem/oracle"
)

// mutations turn a valid outcome into a violation, or return false if not applicable.
var mutations = map[string]func(*problem.Problem, *oracle.Outcome) bool{
	"device twice": func(_ *problem.Problem, o *oracle.Outcome) bool {
		results := &devices(o).Results
		*results = append(*results, (*results)[0])
		return true
	},
	"device of another claim": func(p *problem.Problem, o *oracle.Outcome) bool {
		taken := devices(o).Results[0]
		if ptr.Deref(taken.AdminAccess, false) || taken.ShareID != nil {
			return false
		}
		p.Allocated = append(p.Allocated, allocatedTo("thief", taken))
		return true
	},
	"too few": func(_ *problem.Problem, o *oracle.Outcome) bool {
		results := &devices(o).Results
		*results = (*results)[1:]
		return true
	},
	"wrong node": func(p *problem.Problem, o *oracle.Outcome) bool {
		selector := o.Claims[0].Status.Allocation.NodeSelector
		p.Nodes = append(p.Nodes, problem.Node{Name: "far-away"})
		o.Pods[0].Node = "far-away"
		return selector != nil
	},
	"available too widely": func(_ *problem.Problem, o *oracle.Outcome) bool {
		allocation := o.Claims[0].Status.Allocation
		if allocation.NodeSelector == nil {
			allocation.NodeSelector = &corev1.NodeSelector{}
		} else {
			allocation.NodeSelector = nil
		}
		return true
	},
	"over-committed counter": func(p *problem.Problem, o *oracle.Outcome) bool {
		consumed := devicesIn(p)
		for _, r := range devices(o).Results {
			for id, d := range consumed {
				if id.Driver != r.Driver || id.Pool != r.Pool || id.Device != r.Device || ptr.Deref(r.AdminAccess, false) {
					continue
				}
				for _, c := range d.ConsumesCounters {
					for name, amount := range c.Counters {
						if amount.Value.Sign() > 0 && shrink(p, r.Driver, r.Pool, c.CounterSet, name, amount.Value) {
							return len(p.Off) == 0
						}
					}
				}
			}
		}
		return false
	},
	"wrong share": func(_ *problem.Problem, o *oracle.Outcome) bool {
		r := &devices(o).Results[0]
		for name, amount := range r.ConsumedCapacity {
			amount.Add(resource.MustParse("1"))
			r.ConsumedCapacity[name] = amount
			return true
		}
		return false
	},
	"no share ID": func(_ *problem.Problem, o *oracle.Outcome) bool {
		r := &devices(o).Results[0]
		applies := r.ShareID != nil && !ptr.Deref(r.AdminAccess, false)
		r.ShareID = nil
		return applies
	},
	"share ID of another": func(p *problem.Problem, o *oracle.Outcome) bool {
		r := devices(o).Results[0]
		if r.ShareID == nil || ptr.Deref(r.AdminAccess, false) {
			return false
		}
		p.Allocated = append(p.Allocated, allocatedTo("thief", r))
		return true
	},
	"admin flag": func(p *problem.Problem, o *oracle.Outcome) bool {
		r := &devices(o).Results[0]
		r.AdminAccess = ptr.To(!ptr.Deref(r.AdminAccess, false))
		return len(p.Off) == 0
	},
	"another request": func(_ *problem.Problem, o *oracle.Outcome) bool {
		devices(o).Results[0].Request += "x"
		return true
	},
	"no configuration": func(_ *problem.Problem, o *oracle.Outcome) bool {
		applies := len(devices(o).Config) > 0
		devices(o).Config = nil
		return applies
	},
	"device is gone": func(_ *problem.Problem, o *oracle.Outcome) bool {
		devices(o).Results[0].Device = "gone"
		return true
	},
	"untolerated taint": func(p *problem.Problem, o *oracle.Outcome) bool {
		r := devices(o).Results[0]
		for id, d := range devicesIn(p) {
			if id.Driver == r.Driver && id.Pool == r.Pool && id.Device == r.Device {
				d.Taints = []resourceapi.DeviceTaint{{Key: "example.com/sudden", Effect: resourceapi.DeviceTaintEffectNoSchedule}}
			}
		}
		for _, t := range r.Tolerations {
			if t.Key == "" {
				return false
			}
		}
		return len(p.Off) == 0
	},
	"not reserved": func(_ *problem.Problem, o *oracle.Outcome) bool {
		o.Claims[0].Status.ReservedFor = nil
		return true
	},
	"waits": func(_ *problem.Problem, o *oracle.Outcome) bool {
		o.Pods[0].Node = ""
		for i := range o.Claims {
			o.Claims[i].Status = resourceapi.ResourceClaimStatus{}
		}
		return true
	},
}

// devices returns the devices of the first claim.
func devices(o *oracle.Outcome) *resourceapi.DeviceAllocationResult {
	return &o.Claims[0].Status.Allocation.Devices
}

func allocatedTo(name string, r resourceapi.DeviceRequestAllocationResult) resourceapi.ResourceClaim {
	claim := resourceapi.ResourceClaim{}
	claim.Namespace, claim.Name, claim.UID = "default", name, types.UID(name)
	claim.Status.Allocation = &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{Results: []resourceapi.DeviceRequestAllocationResult{r}}}
	return claim
}

// shrink makes a counter smaller than the consumption of one device.
func shrink(p *problem.Problem, driver, pool, set, name string, amount resource.Quantity) bool {
	amount.Sub(resource.MustParse("1"))
	found := false
	for i := range p.Slices {
		spec := &p.Slices[i].Spec
		for s := range spec.SharedCounters {
			if spec.Driver == driver && spec.Pool.Name == pool && spec.SharedCounters[s].Name == set {
				spec.SharedCounters[s].Counters[name] = resourceapi.Counter{Value: amount}
				found = true
			}
		}
	}
	return found
}

// TestOracleDetectsMutations mutates this project's valid allocations. The oracle must detect each
// mutation, except that a pending pod may stay undecided.
func TestOracleDetectsMutations(t *testing.T) {
	applied, detected, undecided := map[string]int{}, map[string]int{}, map[string]int{}
	own := NewOwn()
	for number := range uint64(1500) {
		p := generate.Problem(30, number)
		for node, answer := range own.Solve(t.Context(), p, For(100*time.Millisecond)) {
			if answer.Kind != Fits || len(answer.Allocations) == 0 || len(answer.Allocations[0].Devices.Results) == 0 {
				continue
			}
			if verdict, _ := opinion(p, node, answer); len(verdict.Violations) > 0 {
				continue
			}
			for name, mutate := range mutations {
				mutated := p.Copy()
				judged, outcome := outcomeOf(mutated, node, answer)
				for i := range outcome.Claims {
					outcome.Claims[i] = *outcome.Claims[i].DeepCopy()
				}
				if !mutate(judged, &outcome) {
					continue
				}
				applied[name]++
				switch verdict := oracle.Judge(judged, outcome); {
				case len(verdict.Violations) > 0:
					detected[name]++
				case len(verdict.Undecided) > 0:
					undecided[name]++
				case applied[name]-detected[name]-undecided[name] < 3:
					t.Logf("%s: problem %d, %s", name, number, p.Nodes[node].Name)
				}
			}
		}
	}
	all, missed := 0, 0
	for name := range mutations {
		all += applied[name] - undecided[name]
		missed += applied[name] - undecided[name] - detected[name]
		t.Logf("%s: %d of %d detected, %d undecided", name, detected[name], applied[name], undecided[name])
		if applied[name] < 20 {
			t.Errorf("%s: applied %d times only", name, applied[name])
		}
	}
	if missed*100 > all {
		t.Errorf("%d of %d mutations not detected", missed, all)
	}
}
