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

package allocator_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// dice turns bytes into choices. Exhausted dice roll 0.
type dice []byte

// roll returns a number below n.
func (d *dice) roll(n int) int {
	if len(*d) == 0 {
		return 0
	}
	b := (*d)[0]
	*d = (*d)[1:]
	return int(b) % n
}

// problem creates a small world and its oracle.
func (d *dice) problem() (world, oracle) {
	var w world
	o := oracle{units: map[string]int64{"a": int64(2 + d.roll(5)), "b": int64(d.roll(4))}}
	counted, shareable := d.roll(3) == 1, d.roll(3) == 1
	for i := range 1 + d.roll(5) {
		device := gpu(fmt.Sprintf("gpu-%d", i), attr("model", string(rune('x'+d.roll(2)))))
		if g := d.roll(4); g > 0 {
			attr("group", fmt.Sprint(g))(&device)
		}
		if d.roll(6) == 1 {
			tainted(resourceapi.DeviceTaintEffectNoSchedule)(&device)
		}
		if shareable && d.roll(2) == 1 {
			shared(fmt.Sprint(2 + d.roll(4)))(&device)
			if d.roll(2) == 1 {
				device.Capacity["cores"] = resourceapi.DeviceCapacity{Value: *resource.NewQuantity(int64(2+d.roll(4)), resource.DecimalSI)}
			}
		}
		if counted && d.roll(4) > 0 {
			uses("a", int64(d.roll(5)-1))(&device)
			if d.roll(4) == 1 {
				uses("b", int64(d.roll(3)))(&device)
			}
		}
		if device.AllowMultipleAllocations == nil && d.roll(6) == 1 {
			w.taken = append(w.taken, device.Name)
		}
		o.devices = append(o.devices, device)
	}
	counters := pool("node")
	counters.Name = "counters"
	for _, set := range []string{"a", "b"} {
		counters.Spec.SharedCounters = append(counters.Spec.SharedCounters, resourceapi.CounterSet{
			Name: set, Counters: map[string]resourceapi.Counter{"units": {Value: *resource.NewQuantity(o.units[set], resource.DecimalSI)}},
		})
	}
	o.take(w.taken)
	devices := pool("node", o.devices...)
	w.slices = []*resourceapi.ResourceSlice{counters, devices}
	for _, s := range w.slices {
		s.Spec.Pool.ResourceSliceCount = 2
	}
	for i := range 1 + d.roll(2) {
		w.claims = append(w.claims, d.claim(fmt.Sprintf("c%d", i), len(o.devices), shareable))
	}
	return w, o
}

// take allocates devices to other claims.
func (o *oracle) take(names []string) {
	o.taken = names
	for _, d := range o.devices {
		for _, uses := range d.ConsumesCounters {
			if q := uses.Counters["units"].Value; slices.Contains(names, d.Name) {
				o.units[uses.CounterSet] -= q.Value()
			}
		}
	}
}

func (d *dice) claim(name string, devices int, shareable bool) *resourceapi.ResourceClaim {
	var requests []resourceapi.DeviceRequest
	for i := range 1 + d.roll(2) {
		name := fmt.Sprintf("r%d", i)
		if d.roll(4) == 1 {
			requests = append(requests, either(name,
				alternative("s", int64(1+d.roll(min(devices, 2))), d.selector()...),
				alternative("t", int64(1+d.roll(min(devices, 2))), d.selector()...)))
			continue
		}
		n := int64(1 + d.roll(min(devices, 3)))
		if d.roll(8) == 1 {
			n = -1
		}
		request := exactly(name, n)
		for _, expression := range d.selector() {
			selecting(expression)(request.Exactly)
		}
		if d.roll(6) == 1 {
			admin(request.Exactly)
		}
		if d.roll(3) == 1 {
			tolerating(request.Exactly)
		}
		if shareable && d.roll(2) == 1 {
			takes(int64(d.roll(5)), int64(d.roll(4)))(request.Exactly)
			if d.roll(2) == 1 {
				delete(request.Exactly.Capacity.Requests, "cores")
			}
		}
		requests = append(requests, request)
	}
	c := claim(name, requests...)
	switch d.roll(5) {
	case 1:
		match(c, "group")
	case 2:
		match(c, "group", requests[d.roll(len(requests))].Name)
	case 3:
		distinct(c, "group")
	}
	return c
}

func (d *dice) selector() []string {
	if d.roll(3) != 1 {
		return nil
	}
	return []string{"model=" + string(rune('x'+d.roll(2)))}
}

// judge compares Allocate with the oracle, with and without prices from the start.
func judge(t *testing.T, data []byte) (fits bool) {
	d := dice(data)
	w, o := d.problem()
	right := o.first(wantsOf(w.claims), nil)
	judgeOne(t, data, w, right)
	w.prices = 1
	return judgeOne(t, data, w, right)
}

func judgeOne(t *testing.T, data []byte, w world, right []choice) (fits bool) {
	r, err := w.allocate(t)
	if err != nil {
		t.Fatalf("%x: %v", data, err)
	}
	switch {
	case right == nil && r.Fits():
		t.Fatalf("%x: got %s, but there is no fit", data, got(r))
	case right != nil && !r.Fits():
		t.Fatalf("%x: got %s, want %s", data, got(r), spell(right, len(w.claims)))
	case right != nil && got(r) != spell(right, len(w.claims)):
		t.Fatalf("%x: got %s, want %s", data, got(r), spell(right, len(w.claims)))
	}
	return r.Fits()
}

func bytes(random *rand.Rand, n int) []byte {
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(random.Uint32())
	}
	return data
}

func FuzzAllocate(f *testing.F) {
	random := rand.New(rand.NewPCG(3, 4))
	f.Add([]byte{})
	f.Add([]byte("201000001110100012")) // a device that gives to an overdrawn counter
	for range 20 {
		f.Add(bytes(random, 80))
	}
	f.Fuzz(func(t *testing.T, data []byte) { judge(t, data) })
}

func TestOracleAgrees(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	fits := 0
	for range 3000 {
		if judge(t, bytes(random, 80)) {
			fits++
		}
	}
	if fits < 600 || fits > 2400 {
		t.Errorf("%d of 3000 problems fit: the test is not balanced", fits)
	}
}

// wantsOf converts the requests of all claims for the oracle.
func wantsOf(claims []*resourceapi.ResourceClaim) []want {
	var all []want
	for i, claim := range claims {
		for _, r := range claim.Spec.Devices.Requests {
			w := want{claim: i, constraints: claim.Spec.Devices.Constraints, parent: r.Name}
			if r.Exactly != nil {
				w.options = []option{{r.Name, *r.Exactly}}
			}
			for _, s := range r.FirstAvailable {
				w.options = append(w.options, option{r.Name + "/" + s.Name, resourceapi.ExactDeviceRequest{
					AllocationMode: s.AllocationMode, Count: s.Count, Selectors: s.Selectors,
				}})
			}
			all = append(all, w)
		}
	}
	return all
}

// spell formats an assignment like got.
func spell(all []choice, claims int) string {
	perClaim := make([][]string, claims)
	for _, c := range all {
		perClaim[c.claim] = append(perClaim[c.claim], c.name+":"+c.device.Name)
	}
	texts := make([]string, claims)
	for i := range perClaim {
		texts[i] = strings.Join(perClaim[i], " ")
	}
	return strings.Join(texts, " | ")
}
