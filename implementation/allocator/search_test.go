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
	"errors"
	"fmt"
	"strings"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/dra-conformance/dratest/implementation/allocator"
)

// Upstream's search exceeds its 10 s on each of these, see the table in ARCHITECTURE.md. A step is one
// evaluated device: no clock, no flake.
func TestSearchStaysSmall(t *testing.T) {
	for name, test := range map[string]struct {
		world
		steps int
	}{
		"one more than there are": {
			world{devices: gpus(128), claims: split(129)}, 1000,
		},
		"a group that is too large": {
			world{devices: grouped(8, 16), claims: list(match(claim("c", exactly("r", 17)), "group"))}, 400,
		},
		"two requests in one group": {
			world{devices: grouped(8, 16), claims: list(match(claim("c", exactly("r", 9), exactly("s", 9)), "group"))}, 4000,
		},
		"more groups than there are": {
			world{devices: grouped(16, 8), claims: list(distinct(claim("c", exactly("r", 17)), "group"))}, 400,
		},
		"two requests for different groups, of which there are enough for one": {
			world{devices: sized(32, func(i int) string { return fmt.Sprint(i % 8) }), claims: list(distinct(claim("c", exactly("r", 5), exactly("s", 4)), "group"))}, 400,
		},
		"three claims of half": {
			world{devices: gpus(40), claims: list(claim("c", exactly("r", 20)), claim("d", exactly("r", 20)), claim("e", exactly("r", 20)))}, 200,
		},
		"three requests that differ in what they like": {
			world{devices: append(gpus(10, attr("model", "x")), gpus2(10, attr("model", "y"))...), claims: list(
				claim("c", exactly("r", 6)), claim("d", exactly("r", 5, selecting("model=x"))), claim("e", exactly("r", 11, selecting("model=y"))))}, 400,
		},
		"shares of many devices": {
			world{devices: gpus(12, shared("80Gi")), claims: shares(25, "30Gi")}, 400,
		},
		"lists for more devices than there are": {
			world{devices: sizes(12), claims: list(claim("c", lists(13)...))}, 400,
		},
		"a list of which the rest makes the claim too large": {
			world{devices: sizes(16), claims: list(claim("c", exactly("r", 8), either("s", alternative("many", 28), alternative("other", 1, "model=none"))))}, 400,
		},
		"admin access that nothing allows at the end": {
			world{devices: sizes(16), claims: list(claim("c", exactly("r", 8)), match(claim("d", exactly("s", 1, admin)), "none"))}, 400,
		},
		"three claims in two groups": {
			world{devices: sized(10, func(i int) string { return fmt.Sprint(i % 2) }), claims: list(
				match(claim("c", exactly("r", 3)), "group"), match(claim("d", exactly("s", 3)), "group"), match(claim("e", exactly("t", 3)), "group"))}, 800,
		},
		"two that cannot have shares of the same device": {
			world{devices: sizes(10), claims: list(
				claim("c", exactly("r", 6, memory("50Gi"))), claim("d", exactly("s", 6, memory("50Gi"))), claim("e", exactly("t", 5, memory("1Gi"))))}, 400,
		},
		"all devices of a kind after others": {
			world{devices: append(sizes(12), gpus2(2, attr("model", "y"))...), claims: list(
				claim("c", exactly("r", 4)), claim("d", exactly("s", -1, selecting("model=x"))))}, 400,
		},
	} {
		t.Run(name, func(t *testing.T) {
			test.world.steps = test.steps
			r, err := test.allocate(t)
			if err != nil {
				t.Fatal(err)
			}
			if r.Fits() {
				t.Errorf("got %s, want no fit", got(r))
			}
		})
	}
}

func TestSearchEndsAfterSoManySteps(t *testing.T) {
	w := world{devices: gpus(12, shared("80Gi")), claims: shares(25, "30Gi"), steps: 100}
	if _, err := w.allocate(t); !errors.Is(err, allocator.ErrTooHard) {
		t.Errorf("got %v, want ErrTooHard", err)
	}
}

// Any limit ends the search with its error, never with a different answer.
func TestSearchEndsAnywhere(t *testing.T) {
	w := world{devices: append(append(gpus(2, attr("group", "small")), gpus2(4, attr("group", "large"))...), gpu("x", attr("kind", "x")), gpu("bad", attr("kind", "bad")))}
	w.claims = list(match(claim("c", exactly("r", 2), exactly("s", 2)), "group"), claim("d", exactly("t", 2), exactly("u", 2, selecting("x or fails"))))
	_, want := w.allocate(t)
	if want == nil || errors.Is(want, allocator.ErrTooHard) {
		t.Fatalf("got %v, want the error of the selector", want)
	}
	given := 0
	for w.steps = 1; ; w.steps++ {
		_, err := w.allocate(t)
		if !errors.Is(err, allocator.ErrTooHard) {
			if err == nil || err.Error() != want.Error() {
				t.Errorf("after %d steps: %v, want %v", w.steps, err, want)
			}
			break
		}
		given++
	}
	if given == 0 {
		t.Error("the search needed no steps")
	}
}

// split requests n devices in claims below the maximum size.
func split(n int) []*resourceapi.ResourceClaim {
	var claims []*resourceapi.ResourceClaim
	for i := 0; n > 0; i++ {
		claims = append(claims, claim(fmt.Sprintf("c%d", i), exactly("r", int64(min(n, 32)))))
		n -= 32
	}
	return claims
}

func shares(n int, amount string) []*resourceapi.ResourceClaim {
	c := claim("c")
	for i := range n {
		c.Spec.Devices.Requests = append(c.Spec.Devices.Requests, exactly(fmt.Sprintf("r%d", i), 1, memory(amount)))
	}
	return list(c)
}

// lists has n requests with alternatives.
func lists(n int) []resourceapi.DeviceRequest {
	var requests []resourceapi.DeviceRequest
	for i := range n {
		requests = append(requests, either(fmt.Sprintf("r%d", i), alternative("any", 1), alternative("x", 1, "model=x")))
	}
	return requests
}

// sizes creates distinct devices for several claims.
func sizes(n int) []resourceapi.Device { return sized(n, func(int) string { return "0" }) }

func sized(n int, group func(int) string) []resourceapi.Device {
	var devices []resourceapi.Device
	for i := range n {
		devices = append(devices, gpu(fmt.Sprintf("gpu-%03d", i), shared(fmt.Sprintf("%dGi", 80+i)), attr("model", "x"), attr("group", group(i))))
	}
	return devices
}

func grouped(groups, size int) []resourceapi.Device {
	var devices []resourceapi.Device
	for i := range groups * size {
		devices = append(devices, gpu(fmt.Sprintf("gpu-%03d", i), attr("group", fmt.Sprint(i%groups))))
	}
	return devices
}

func gpus2(n int, change ...func(*resourceapi.Device)) []resourceapi.Device {
	devices := gpus(n, change...)
	for i := range devices {
		devices[i].Name = "second-" + devices[i].Name
	}
	return devices
}

// Further shares of a device take no counters. The bound counted them again and refuted a solution.
func TestSharesDoNotTakeCountersAgain(t *testing.T) {
	counters := pool("node-counters")
	counters.Spec.Pool = resourceapi.ResourcePool{Name: "p", ResourceSliceCount: 2}
	counters.Spec.SharedCounters = []resourceapi.CounterSet{{
		Name: "set", Counters: map[string]resourceapi.Counter{"units": {Value: resource.MustParse("1")}},
	}}
	devices := pool("node-devices", gpu("a", multiple, uses("set", 1)), gpu("b", uses("set", 1)))
	devices.Spec.Pool = counters.Spec.Pool
	w := world{slices: []*resourceapi.ResourceSlice{counters, devices}}
	w.claims = list(claim("c", exactly("r", 1)), claim("d", either("s", alternative("two", 2), alternative("one", 1))))
	r, err := w.allocate(t)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := got(r), "r:a | s/one:a"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func multiple(d *resourceapi.Device) { d.AllowMultipleAllocations = new(true) }

// With r0's first alternative the third request makes the claim too large. Kubernetes notices before
// it tries the device with the failing selector. A bound looked ahead, saw too few devices for the
// third request, and went on to the failing device.
func TestTooLargeBeforeError(t *testing.T) {
	var devices []resourceapi.Device
	for i := range 8 {
		devices = append(devices, gpu(fmt.Sprintf("x%d", i), attr("kind", "x")))
	}
	devices = append(devices, gpu("bad", attr("kind", "bad")), gpu("mb", attr("kind", "m"), attr("b", "1")))
	for i := range 19 {
		devices = append(devices, gpu(fmt.Sprintf("m%02d", i), attr("kind", "m")))
	}
	devices = append(devices, gpu("y", attr("b", "1")))
	first := alternative("a", 5, "x or fails")
	w := world{devices: devices, claims: list(claim("c", either("r0", first, alternative("b", 1, "b=1")),
		exactly("r1", 20, selecting("kind=m")), exactly("r2", 8, selecting("kind=x"))))}
	r, err := w.allocate(t)
	if err != nil {
		t.Fatal(err)
	}
	if picked := got(r); !strings.HasPrefix(picked, "r0/b:y r1:mb ") {
		t.Errorf("got %s", picked)
	}
}

// With alternative a the last request makes the claim too large. Kubernetes notices with the first
// devices for a. An earlier bound moved on to another group of devices for a, and there the request
// for all devices violates the constraint.
func TestTooLargeBeforeConstraintOfAll(t *testing.T) {
	devices := []resourceapi.Device{
		gpu("x1", attr("kind", "two"), attr("group", "x")), gpu("x2", attr("kind", "two"), attr("group", "x")),
		gpu("y1", attr("kind", "two"), attr("group", "y")), gpu("y2", attr("kind", "two"), attr("group", "y")),
		gpu("x3", attr("kind", "all"), attr("group", "x")), gpu("e", attr("kind", "ef"), attr("only", "e")), gpu("f", attr("kind", "ef")),
	}
	for i := range 29 {
		devices = append(devices, gpu(fmt.Sprintf("m%02d", i), attr("kind", "m")))
	}
	w := world{devices: devices, claims: list(
		match(claim("c", either("r0", alternative("a", 2, "kind=two"), alternative("b", 1, "kind=two")), exactly("r1", -1, selecting("kind=all")),
			exactly("r2", 1, selecting("kind=ef")), exactly("r3", 29, selecting("kind=m"))), "group", "r0", "r1"),
		claim("d", exactly("s", 1, selecting("only=e"))))}
	r, err := w.allocate(t)
	if err != nil {
		t.Fatal(err)
	}
	if picked := got(r); !strings.HasPrefix(picked, "r0/b:x1 r1:x3 r2:f ") || !strings.HasSuffix(picked, "| s:e") {
		t.Errorf("got %s", picked)
	}
}
