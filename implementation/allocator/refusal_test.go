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
	"context"
	"errors"
	"strings"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/dra-conformance/dratest/implementation/allocator"
	"github.com/dra-conformance/dratest/implementation/inventory"
	"github.com/dra-conformance/dratest/implementation/state"
)

// Unknown or disabled API features are refused with a message naming claim, request and feature.
func TestWhatIsNotSupportedIsRefused(t *testing.T) {
	thirsty := alternative("t", 1)
	thirsty.Capacity = &resourceapi.CapacityRequirements{}
	derived := alternative("s", 1)
	derived.DerivedAttributes = []resourceapi.DeviceDerivedAttribute{{}}
	noClass := func(e *resourceapi.ExactDeviceRequest) { e.DeviceClassName = "" }
	emptySelector := func(e *resourceapi.ExactDeviceRequest) { e.Selectors = []resourceapi.DeviceSelector{{}} }
	emptyConstraint := claim("c", exactly("r", 1))
	emptyConstraint.Spec.Devices.Constraints = []resourceapi.DeviceConstraint{{}}
	clusterWide := claim("c", exactly("r", 1, noClass))
	clusterWide.Namespace = ""
	for name, test := range map[string]struct {
		world
		want string
	}{
		"alternatives while they are off": {
			world{claims: list(claim("c", either("r", alternative("s", 1)))), without: func(f *inventory.Features) { f.PrioritizedList = false }},
			"claim default/c, request r: has subrequests, but the DRAPrioritizedList feature is disabled",
		},
		"admin access while it is off": {
			world{claims: list(claim("c", exactly("r", 1, admin))), without: func(f *inventory.Features) { f.AdminAccess = false }},
			"claim default/c, request r: admin access is requested, but the feature is disabled",
		},
		"capacity while it cannot be consumed": {
			world{claims: list(claim("c", exactly("r", 1, memory("1Gi")))), without: func(f *inventory.Features) { f.ConsumableCapacity = false }},
			"claim default/c, request r: has capacity requests, but the DRAConsumableCapacity feature is disabled",
		},
		"capacity of an alternative while it cannot be consumed": {
			world{claims: list(claim("c", either("r", alternative("s", 1), thirsty))), without: func(f *inventory.Features) { f.ConsumableCapacity = false }},
			"claim default/c, subrequest t: has capacity requests, but the DRAConsumableCapacity feature is disabled",
		},
		"derived attributes": {
			world{claims: list(claim("c", either("r", derived)))},
			"claim default/c, request s: cannot handle request with derived attributes, the feature is disabled",
		},
		"no class": {
			world{claims: list(claim("c", exactly("r", 1, noClass)))},
			"claim default/c, request r: missing device class name",
		},
		"a claim without namespace": {world{claims: list(clusterWide)}, "claim c, request r: missing device class name"},
		"a selector of a newer API": {
			world{claims: list(claim("c", exactly("r", 1, emptySelector)))},
			"claim default/c, request r, selector #0: CEL expression empty",
		},
		"a class with a selector of a newer API": {
			world{claims: list(claim("c", exactly("r", 1))), classSelectors: []resourceapi.DeviceSelector{{}}},
			"claim default/c, request r: class class: selector #0: CEL expression empty",
		},
		"a constraint of a newer API": {
			world{claims: list(emptyConstraint)},
			"claim default/c, constraint #0: empty constraint",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := test.allocate(t)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, %v; want an error with %q", r, err, test.want)
			}
		})
	}
}

// incomplete is a pool with a missing slice.
func incomplete(name string) *resourceapi.ResourceSlice {
	s := pool(name, gpu("a"))
	s.Spec.Pool.ResourceSliceCount = 2
	return s
}

// A request for all devices needs complete pools.
func TestAllDevicesNeedAllPools(t *testing.T) {
	negative := gpu("a", shared("8Gi"))
	for name, test := range map[string]struct {
		world
		want string
	}{
		"a pool is being updated": {
			world{slices: []*resourceapi.ResourceSlice{incomplete("p")}, claims: list(claim("c", exactly("r", -1)))},
			"claim default/c, request r: asks for all devices, but resource pool gpu.example.com/p is currently being updated",
		},
		"a pool is invalid": {
			world{slices: []*resourceapi.ResourceSlice{pool("p", gpu("twin"), gpu("twin"))}, claims: list(claim("c", exactly("r", -1)))},
			"asks for all devices, but resource pool gpu.example.com/p is currently invalid",
		},
		"a selector fails": {
			world{devices: gpus(1), claims: list(claim("c", exactly("r", -1, selecting("fails"))))},
			"CEL runtime error: no such key",
		},
		"a negative capacity": {
			world{devices: []resourceapi.Device{negative}, claims: list(claim("c", exactly("r", -1, memory("-1"))))},
			"claim default/c, request r: checking capacity for device a: ",
		},
		"a negative capacity of one device": {
			world{devices: []resourceapi.Device{negative}, claims: list(claim("c", exactly("r", 1, memory("-1"))))},
			"claim default/c, request r: checking capacity for device gpu.example.com/node/a: ",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := test.allocate(t)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, %v; want an error with %q", r, err, test.want)
			}
		})
	}
}

// Devices that need a disabled feature are ignored.
func TestDevicesOfFeaturesThatAreOff(t *testing.T) {
	binding := func(d *resourceapi.Device) { d.BindingConditions = []string{"attached"} }
	one := list(claim("c", exactly("r", 1)))
	for name, test := range map[string]struct {
		world
		want string
	}{
		"binding conditions": {
			world{devices: []resourceapi.Device{gpu("a", binding), gpu("b")}, claims: one, without: func(f *inventory.Features) { f.DeviceBindingAndStatus = false }},
			"r:b",
		},
		"counters": {
			world{devices: []resourceapi.Device{gpu("a", uses("set", 1)), gpu("b")}, claims: one, without: func(f *inventory.Features) { f.PartitionableDevices = false }},
			"r:b",
		},
		"taints": {
			world{devices: gpus(1, tainted(resourceapi.DeviceTaintEffectNoSchedule)), claims: one, without: func(f *inventory.Features) { f.DeviceTaints = false }},
			"r:gpu-000",
		},
		"shares": {
			world{devices: gpus(1, shared("8Gi")), claims: list(claim("c", exactly("r", 1)), claim("d", exactly("r", 1))), without: func(f *inventory.Features) { f.ConsumableCapacity = false }},
			"claim default/d, request r wants 1 device, 1 of the node's 1 match its selectors: 1 allocated",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := test.allocate(t)
			if err != nil {
				t.Fatal(err)
			}
			if got := got(r); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// A share from before the feature was disabled blocks the whole device for other claims.
func TestShareTakesAllWhileTheFeatureIsOff(t *testing.T) {
	w := world{devices: gpus(1, shared("8Gi")), without: func(f *inventory.Features) { f.ConsumableCapacity = false }}
	w.claims = list(claim("c", exactly("r", 1)))
	w.others = list(claim("other"))
	w.others[0].Status.Allocation = &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{
		Results: []resourceapi.DeviceRequestAllocationResult{{
			Request: "r", Driver: driver, Pool: "node", Device: "gpu-000", ShareID: new(shareID),
			ConsumedCapacity: map[resourceapi.QualifiedName]resource.Quantity{"memory": resource.MustParse("1Gi")},
		}},
	}}
	r, err := w.allocate(t)
	if err != nil || r.Fits() {
		t.Errorf("got %s, %v; want no fit", got(r), err)
	}
}

func TestReasonNamesPoolsBeingUpdated(t *testing.T) {
	w := world{slices: []*resourceapi.ResourceSlice{incomplete("p")}, claims: list(claim("c", exactly("r", 1)))}
	r, err := w.allocate(t)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := got(r), "claim default/c, request r wants 1 device, the node has none; 1 pools are being updated"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A pod got "wants 20 of 13 devices", most of the 13 from another driver and some already allocated.
func TestReasonCountsDevicesThatTheRequestCouldTake(t *testing.T) {
	w := world{
		devices: append(gpus(2, attr("model", "mine")), gpu("other-0"), gpu("other-1")),
		taken:   []string{"gpu-001", "other-1"},
		claims:  list(claim("c", exactly("r", 20, selecting("model=mine")))),
	}
	r, err := w.allocate(t)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := got(r), "claim default/c, request r wants 20 devices, 2 of the node's 4 match its selectors: 1 allocated"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// The error is the context's cause.
func TestSearchEndsWithItsContext(t *testing.T) {
	w := world{devices: gpus(3), claims: list(claim("c", exactly("r", 2), exactly("s", 2)))}
	demand, err := allocator.NewDemand(w.claims, w.config())
	if err != nil {
		t.Fatal(err)
	}
	view, err := inventory.New(inventory.AllFeatures()).With([]*resourceapi.ResourceSlice{pool("node", w.devices...)}).Node(node())
	if err != nil {
		t.Fatal(err)
	}
	tired := errors.New("tired")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(tired)
	if _, err := allocator.Allocate(ctx, allocator.Problem{Demand: demand, Node: view, Used: state.New().Snapshot()}); !errors.Is(err, tired) {
		t.Errorf("got %v, want the cause", err)
	}
}
