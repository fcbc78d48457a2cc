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

package hard

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

const (
	// Class is the class of all claims, without selectors.
	Class  = "gpu"
	driver = "gpu.example.com"
	// limit is the maximum number of devices of a claim.
	limit = resourceapi.AllocationResultsMaxSize
)

// Task is the input of allocators.
type Task struct {
	Nodes  []*corev1.Node
	Slices []*resourceapi.ResourceSlice
	// Claims are those of one pod, of class Class.
	Claims []*resourceapi.ResourceClaim
	// Devices on each node.
	Devices int
	// Fits is the expected answer.
	Fits bool
}

// Family is a series of problems of one shape.
type Family struct {
	Name string
	// Size describes a size.
	Size string
	// Key is the size whose ratio counts; Sizes up to it are for all allocators, Larger ones for
	// ours only.
	Key    int
	Sizes  []int
	Larger []int
	Build  func(size int) Task
}

// Families returns all of them.
func Families() []Family {
	return []Family{
		{Name: "plain", Size: "n devices, ask for n+1", Key: 14, Sizes: []int{8, 10, 12, 14}, Larger: []int{32, 64, 128}, Build: plain},
		{Name: "match", Size: "two groups of g, ask for g+1 that match", Key: 14, Sizes: []int{10, 12, 14}, Larger: []int{32, 64, 128}, Build: match},
		{Name: "two", Size: "two groups of g, two requests of g/2+1, all match", Key: 12, Sizes: []int{8, 10, 12}, Larger: []int{32, 64, 128}, Build: two},
		{Name: "distinct", Size: "d groups of 4, ask for d+1 that differ", Key: 8, Sizes: []int{4, 6, 8}, Larger: []int{32, 64, 128}, Build: apart},
		{Name: "mig", Size: "g GPUs of 7 units (one 7, two 3, four 1), ask for 6g+1", Key: 3, Sizes: []int{2, 3}, Larger: []int{35, 63, 126}, Build: mig},
		{Name: "three", Size: "n devices, three claims of n/2", Key: 10, Sizes: []int{6, 8, 10}, Larger: []int{32, 64, 128}, Build: three},
	}
}

// plain requests one device more than there is. A claim has 32 at most: larger requests are spread
// over several claims.
func plain(n int) Task {
	return single(devices(n), spread(n+1)...)
}

// match: above 31, n is the number of devices, in groups of 31 (the last one is smaller), and 32
// must match.
func match(g int) Task {
	n, group := 2*g, g
	if g >= limit {
		n, group = g, limit-1
	}
	all := grouped(n, func(i int) int64 { return int64(i / group) })
	claim := claimFor(0, group+1)
	claim.Spec.Devices.Constraints = []resourceapi.DeviceConstraint{{MatchAttribute: attribute()}}
	return single(all, claim)
}

// two is match with the devices in two requests.
func two(g int) Task {
	n, group := 2*g, g
	if g >= limit {
		n, group = g, limit-1
	}
	all := grouped(n, func(i int) int64 { return int64(i / group) })
	claim := claimFor(0, group/2+1, group/2+1)
	claim.Spec.Devices.Constraints = []resourceapi.DeviceConstraint{{MatchAttribute: attribute()}}
	return single(all, claim)
}

// apart: above 8 groups the size is the number of devices, in 31 groups at most.
func apart(d int) Task {
	n := 4 * d
	if d > 8 {
		n, d = d, min(d/4, limit-1)
	}
	all := grouped(n, func(i int) int64 { return int64(min(i/4, d-1)) })
	claim := claimFor(0, d+1)
	claim.Spec.Devices.Constraints = []resourceapi.DeviceConstraint{{DistinctAttribute: attribute()}}
	return single(all, claim)
}

// mig: above 3 GPUs the size is the number of devices, 7 for each GPU; requests for more than 32
// are spread over claims.
func mig(g int) Task {
	if g > 3 {
		g /= 7
	}
	var all []resourceapi.Device
	counters := slice("0-counters", "node-0", nil)
	for gpu := range g {
		set := fmt.Sprintf("gpu-%d", gpu)
		counters.Spec.SharedCounters = append(counters.Spec.SharedCounters, resourceapi.CounterSet{
			Name: set, Counters: map[string]resourceapi.Counter{"units": {Value: *resource.NewQuantity(7, resource.DecimalSI)}},
		})
		for i, units := range []int64{7, 3, 3, 1, 1, 1, 1} {
			all = append(all, resourceapi.Device{
				Name: fmt.Sprintf("%s-part-%d", set, i),
				ConsumesCounters: []resourceapi.DeviceCounterConsumption{{
					CounterSet: set, Counters: map[string]resourceapi.Counter{"units": {Value: *resource.NewQuantity(units, resource.DecimalSI)}},
				}},
			})
		}
	}
	t := single(all, spread(6*g+1)...)
	// A slice holds 8 counter sets and, because of the counters, 64 devices.
	t.Slices = nil
	for len(counters.Spec.SharedCounters) > 0 {
		part := counters.DeepCopy()
		part.Name = fmt.Sprintf("%s-%d", part.Name, len(t.Slices))
		n := min(8, len(counters.Spec.SharedCounters))
		part.Spec.SharedCounters, counters.Spec.SharedCounters = part.Spec.SharedCounters[:n], counters.Spec.SharedCounters[n:]
		t.Slices = append(t.Slices, part)
	}
	for first := 0; first < len(all); first += 64 {
		t.Slices = append(t.Slices, slice(fmt.Sprintf("devices-%d", first/64), "node-0", all[first:min(len(all), first+64)]))
	}
	for _, s := range t.Slices {
		s.Spec.Pool.ResourceSliceCount = int64(len(t.Slices))
	}
	return t
}

// three: above 64 devices each of the three claims is spread over two claims.
func three(n int) Task {
	var claims []*resourceapi.ResourceClaim
	for range 3 {
		for left := n / 2; left > 0; left -= limit {
			claims = append(claims, claimFor(len(claims), min(left, limit)))
		}
	}
	return single(devices(n), claims...)
}

// single is a pool of one slice on one node.
func single(all []resourceapi.Device, claims ...*resourceapi.ResourceClaim) Task {
	return Task{
		Nodes:   []*corev1.Node{node(0)},
		Slices:  []*resourceapi.ResourceSlice{slice("devices", "node-0", all)},
		Claims:  claims,
		Devices: len(all),
	}
}

func node(i int) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("node-%d", i)}}
}

func slice(name, node string, all []resourceapi.Device) *resourceapi.ResourceSlice {
	return &resourceapi.ResourceSlice{
		ObjectMeta: metav1.ObjectMeta{Name: node + "-" + name},
		Spec: resourceapi.ResourceSliceSpec{
			Driver:   driver,
			Pool:     resourceapi.ResourcePool{Name: node, Generation: 1, ResourceSliceCount: 1},
			NodeName: ptr.To(node),
			Devices:  all,
		},
	}
}

func devices(n int) []resourceapi.Device {
	all := make([]resourceapi.Device, n)
	for i := range all {
		all[i].Name = fmt.Sprintf("dev-%d", i)
	}
	return all
}

// grouped adds an attribute with the group of each device.
func grouped(n int, group func(int) int64) []resourceapi.Device {
	all := devices(n)
	for i := range all {
		all[i].Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"group": {IntValue: ptr.To(group(i))}}
	}
	return all
}

func attribute() *resourceapi.FullyQualifiedName {
	return ptr.To(resourceapi.FullyQualifiedName(driver + "/group"))
}

// spread requests n devices in claims of 32 at most.
func spread(n int) []*resourceapi.ResourceClaim {
	var claims []*resourceapi.ResourceClaim
	for ; n > 0; n -= limit {
		claims = append(claims, claimFor(len(claims), min(n, limit)))
	}
	return claims
}

// claimFor is a claim with one request for each count.
func claimFor(i int, counts ...int) *resourceapi.ResourceClaim {
	name := fmt.Sprintf("claim-%d", i)
	claim := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID(name)}}
	for r, count := range counts {
		claim.Spec.Devices.Requests = append(claim.Spec.Devices.Requests, resourceapi.DeviceRequest{
			Name: fmt.Sprintf("request-%d", r),
			Exactly: &resourceapi.ExactDeviceRequest{
				DeviceClassName: Class,
				AllocationMode:  resourceapi.DeviceAllocationModeExactCount,
				Count:           int64(count),
			},
		})
	}
	return claim
}
