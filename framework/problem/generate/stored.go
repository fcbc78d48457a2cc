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

package generate

import (
	"fmt"
	"math/rand/v2"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/problem"
)

// Stored returns a valid problem by its number in the sequence of a seed: pods compete for devices,
// and an API server accepts all objects. Features in off (problem.ClusterGates) are not used.
func Stored(seed, number uint64, off []string) *problem.Problem {
	g := &generator{Rand: rand.New(rand.NewPCG(seed^storedSeeds, number)), p: &problem.Problem{}, stored: true}
	for range g.between(3, 8) {
		g.turn(g.anyKnob())
	}
	g.knobs[severalClaims] = g.knobs[severalClaims] || g.chance(50)
	for _, k := range notStored {
		g.knobs[k] = false
	}
	for _, name := range off {
		for _, k := range ofGate[name] {
			g.knobs[k] = false
		}
	}
	g.addNodes()
	g.addPools()
	g.breakPools()
	g.addClasses()
	g.addUse()
	g.addClaims()
	if g.knobs[manyResults] && !slices.Contains(off, "ConsumableCapacity") {
		g.askForTooMany()
	}
	g.Shuffle(len(g.p.Slices), func(i, j int) { g.p.Slices[i], g.p.Slices[j] = g.p.Slices[j], g.p.Slices[i] })
	g.p.Off = slices.Clone(off)
	g.store()
	g.addPods()
	if !slices.Contains(off, "DeviceTaints") && !slices.Contains(off, "DeviceTaintRules") {
		g.addRules()
	}
	if !slices.Contains(off, "ExtendedResource") {
		g.addExtended()
	}
	return g.p
}

// storedSeeds separates the sequences of Stored from those of Problem.
const storedSeeds = 0x73746f726564

// notStored lists complications unavailable on a cluster: invalid objects, disabled features and
// history.
var notStored = []knob{featuresOff, future, history} //nolint:gochecknoglobals // a table

// ofGate lists the complications of each optional feature.
var ofGate = map[string][]knob{ //nolint:gochecknoglobals // a table
	"AdminAccess":            {adminAccess},
	"ConsumableCapacity":     {shares, sharePolicies},
	"DeviceBindingAndStatus": {binding},
	"DeviceTaints":           {taints},
	"PartitionableDevices":   {counters, perDevice},
	"PrioritizedList":        {alternatives},
}

// store makes the objects valid for the API server.
func (g *generator) store() {
	for i := range g.p.Slices {
		spec := &g.p.Slices[i].Spec
		spec.Pool.ResourceSliceCount = max(1, spec.Pool.ResourceSliceCount)
		spec.Pool.Generation = max(0, spec.Pool.Generation)
		for d := range spec.Devices {
			if spec.PerDeviceNodeSelection == nil {
				spec.Devices[d].NodeName, spec.Devices[d].AllNodes, spec.Devices[d].NodeSelector = nil, nil, nil
			}
			g.storeDevice(&spec.Devices[d])
		}
	}
	g.failFirst()
	for i := range g.p.Allocated {
		g.storeAllocated(&g.p.Allocated[i])
	}
	for i := range g.p.Claims {
		left := int64(resourceapi.AllocationResultsMaxSize)
		for r := range g.p.Claims[i].Spec.Devices.Requests {
			request := &g.p.Claims[i].Spec.Devices.Requests[r]
			for s := range request.FirstAvailable {
				if request.FirstAvailable[s].AllocationMode == resourceapi.DeviceAllocationModeAll {
					request.FirstAvailable[s].Count = 0
				}
			}
			most := int64(0)
			for _, count := range countsOf(request) {
				*count = min(*count, max(1, left))
				most = max(most, *count)
			}
			left -= most
		}
	}
}

// countsOf returns the device counts of a request or of its alternatives.
func countsOf(request *resourceapi.DeviceRequest) []*int64 {
	var all []*int64
	if exact := request.Exactly; exact != nil && exact.AllocationMode == resourceapi.DeviceAllocationModeExactCount {
		all = append(all, &exact.Count)
	}
	for i := range request.FirstAvailable {
		if sub := &request.FirstAvailable[i]; sub.AllocationMode == resourceapi.DeviceAllocationModeExactCount {
			all = append(all, &sub.Count)
		}
	}
	return all
}

func (g *generator) storeDevice(d *resourceapi.Device) {
	shared := ptr.Deref(d.AllowMultipleAllocations, false)
	for name, c := range d.Capacity {
		if c.RequestPolicy != nil && (!shared || !within(c)) {
			c.RequestPolicy = nil
			d.Capacity[name] = c
		}
	}
	sets := map[string]bool{}
	d.ConsumesCounters = slices.DeleteFunc(d.ConsumesCounters, func(c resourceapi.DeviceCounterConsumption) bool {
		again := sets[c.CounterSet] || len(sets) == resourceapi.ResourceSliceMaxDeviceCounterConsumptionsPerDevice
		sets[c.CounterSet] = true
		return again
	})
	for i := range d.ConsumesCounters {
		if c := &d.ConsumesCounters[i]; len(c.Counters) == 0 {
			c.Counters = map[string]resourceapi.Counter{"memory": {Value: quantity("5Gi")}}
		}
	}
	if len(d.BindingConditions) > 0 && len(d.BindingFailureConditions) == 0 {
		d.BindingFailureConditions = []string{"example.com/failed"}
	}
}

// failFirst makes the first allocation of at most one device fail: after each failure, the scheduler needs several attempts.
func (g *generator) failFirst() {
	if !g.knobs[binding] || g.chance(50) {
		return
	}
	for i := range g.p.Slices {
		for d := range g.p.Slices[i].Spec.Devices {
			if device := &g.p.Slices[i].Spec.Devices[d]; len(device.BindingConditions) > 0 && g.chance(40) {
				device.BindingFailureConditions = []string{problem.FailsFirst}
				return
			}
		}
	}
}

// within reports whether a policy's limits are within the capacity and its values differ, rounded
// up as in API validation.
func within(c resourceapi.DeviceCapacity) bool {
	for i, value := range c.RequestPolicy.ValidValues {
		if i > 0 && c.RequestPolicy.ValidValues[i-1].Value() == value.Value() {
			return false
		}
	}
	limits := slices.Clone(c.RequestPolicy.ValidValues)
	for _, limit := range []*resource.Quantity{c.RequestPolicy.Default, maxOf(c.RequestPolicy.ValidRange)} {
		if limit != nil {
			limits = append(limits, *limit)
		}
	}
	return !slices.ContainsFunc(limits, func(q resource.Quantity) bool { return q.Cmp(c.Value) > 0 })
}

func maxOf(r *resourceapi.CapacityRequestPolicyRange) *resource.Quantity {
	if r == nil {
		return nil
	}
	return r.Max
}

// storeAllocated makes an allocated claim valid: it adds the requests of its results, valid share
// IDs and a timestamp. Some devices get binding conditions, which have timed out. kube-scheduler v1.37 cannot reserve an
// allocated claim without a timestamp: it adds one, and the API server rejects the changed allocation.
func (g *generator) storeAllocated(claim *resourceapi.ResourceClaim) {
	claim.Status.Allocation.AllocationTimestamp = ptr.To(metav1.Unix(1_700_000_000, 0))
	results := claim.Status.Allocation.Devices.Results
	for i := range results {
		results[i].Request = fmt.Sprintf("r%d", i)
		if g.knobs[binding] && g.chance(30) {
			results[i].BindingConditions, results[i].BindingFailureConditions = g.conditionsOf(&results[i])
		}
		claim.Spec.Devices.Requests = append(claim.Spec.Devices.Requests, resourceapi.DeviceRequest{
			Name: results[i].Request, Exactly: &resourceapi.ExactDeviceRequest{
				DeviceClassName: g.p.Classes[0].Name, AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: 1, AdminAccess: results[i].AdminAccess,
			},
		})
		if results[i].ShareID != nil {
			results[i].ShareID = ptr.To(types.UID(fmt.Sprintf("%08x-0000-4000-8000-%012x", g.Uint32(), g.Uint64N(1<<48))))
		}
	}
}

func (g *generator) conditionsOf(r *resourceapi.DeviceRequestAllocationResult) (binding, failure []string) {
	for i := range g.p.Slices {
		spec := &g.p.Slices[i].Spec
		for d := range spec.Devices {
			if spec.Driver == r.Driver && spec.Pool.Name == r.Pool && spec.Devices[d].Name == r.Device {
				return spec.Devices[d].BindingConditions, spec.Devices[d].BindingFailureConditions
			}
		}
	}
	return nil, nil
}

// addPods distributes the claims among pods: each pod uses one or more, and some claims are shared.
func (g *generator) addPods() {
	claims := len(g.p.Claims)
	for i := range g.between(1, claims+1) {
		pod := problem.Pod{Name: fmt.Sprintf("pod-%d", i)}
		first := i % claims
		pod.Claims = []string{g.p.Claims[first].Name}
		if claims > 1 && g.chance(30) {
			pod.Claims = append(pod.Claims, g.p.Claims[(first+1)%claims].Name)
		}
		if len(g.p.Allocated) > 0 && g.chance(15) {
			pod.Claims = append(pod.Claims, pick(g, g.p.Allocated...).Name)
		}
		g.p.Pods = append(g.p.Pods, pod)
	}
	for i := range claims {
		name := g.p.Claims[i].Name
		if !slices.ContainsFunc(g.p.Pods, func(p problem.Pod) bool { return slices.Contains(p.Claims, name) }) {
			last := &g.p.Pods[len(g.p.Pods)-1]
			last.Claims = append(last.Claims, name)
		}
	}
}
