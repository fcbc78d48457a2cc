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
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/implementation/allocator"
	"github.com/dra-conformance/dratest/implementation/inventory"
	"github.com/dra-conformance/dratest/implementation/state"
)

const driver = "gpu.example.com"

const shareID = types.UID("a-share")

// world is one node, its devices and the claims.
type world struct {
	devices []resourceapi.Device // in one slice of pool "node"
	slices  []*resourceapi.ResourceSlice
	taken   []string // allocated devices of pool "node"
	claims  []*resourceapi.ResourceClaim
	steps   int
	prices  int // the first step with prices
	// classConfig is the number of configurations of the class.
	classConfig    int
	classSelectors []resourceapi.DeviceSelector
	// others are claims with an allocation.
	others []*resourceapi.ResourceClaim
	// without disables features.
	without func(*inventory.Features)
}

func node() *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node"}}
}

func pool(name string, devices ...resourceapi.Device) *resourceapi.ResourceSlice {
	return &resourceapi.ResourceSlice{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name)},
		Spec: resourceapi.ResourceSliceSpec{
			Driver: driver, NodeName: new("node"), Devices: devices,
			Pool: resourceapi.ResourcePool{Name: name, ResourceSliceCount: 1},
		},
	}
}

func gpu(name string, change ...func(*resourceapi.Device)) resourceapi.Device {
	d := resourceapi.Device{Name: name}
	for _, c := range change {
		c(&d)
	}
	return d
}

func gpus(n int, change ...func(*resourceapi.Device)) []resourceapi.Device {
	var out []resourceapi.Device
	for i := range n {
		out = append(out, gpu(fmt.Sprintf("gpu-%03d", i), change...))
	}
	return out
}

// attr sets a string attribute in the driver's own domain.
func attr(name, value string) func(*resourceapi.Device) {
	return func(d *resourceapi.Device) {
		if d.Attributes == nil {
			d.Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{}
		}
		d.Attributes[resourceapi.QualifiedName(name)] = resourceapi.DeviceAttribute{StringValue: &value}
	}
}

func tainted(effect resourceapi.DeviceTaintEffect) func(*resourceapi.Device) {
	return func(d *resourceapi.Device) {
		d.Taints = append(d.Taints, resourceapi.DeviceTaint{Key: "sick", Effect: effect})
	}
}

// uses consumes units of a counter set.
func uses(set string, units int64) func(*resourceapi.Device) {
	return func(d *resourceapi.Device) {
		d.ConsumesCounters = append(d.ConsumesCounters, resourceapi.DeviceCounterConsumption{
			CounterSet: set, Counters: map[string]resourceapi.Counter{"units": {Value: *resource.NewQuantity(units, resource.DecimalSI)}},
		})
	}
}

func shared(memory string) func(*resourceapi.Device) {
	return func(d *resourceapi.Device) {
		d.AllowMultipleAllocations = new(true)
		d.Capacity = map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{"memory": {Value: resource.MustParse(memory)}}
	}
}

// exactly requests n devices; n < 0 means all.
func exactly(name string, n int64, change ...func(*resourceapi.ExactDeviceRequest)) resourceapi.DeviceRequest {
	e := &resourceapi.ExactDeviceRequest{DeviceClassName: "class", AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: n}
	if n < 0 {
		e.AllocationMode, e.Count = resourceapi.DeviceAllocationModeAll, 0
	}
	for _, c := range change {
		c(e)
	}
	return resourceapi.DeviceRequest{Name: name, Exactly: e}
}

func selecting(expression string) func(*resourceapi.ExactDeviceRequest) {
	return func(e *resourceapi.ExactDeviceRequest) {
		e.Selectors = append(e.Selectors, resourceapi.DeviceSelector{CEL: &resourceapi.CELDeviceSelector{Expression: expression}})
	}
}

// memory requests capacity.
func memory(amount string) func(*resourceapi.ExactDeviceRequest) {
	return func(e *resourceapi.ExactDeviceRequest) {
		e.Capacity = &resourceapi.CapacityRequirements{Requests: map[resourceapi.QualifiedName]resource.Quantity{"memory": resource.MustParse(amount)}}
	}
}

// either lists alternatives: name, count, selector.
func either(name string, alternatives ...resourceapi.DeviceSubRequest) resourceapi.DeviceRequest {
	return resourceapi.DeviceRequest{Name: name, FirstAvailable: alternatives}
}

func alternative(name string, n int64, expression ...string) resourceapi.DeviceSubRequest {
	s := resourceapi.DeviceSubRequest{Name: name, DeviceClassName: "class", AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: n}
	for _, e := range expression {
		s.Selectors = append(s.Selectors, resourceapi.DeviceSelector{CEL: &resourceapi.CELDeviceSelector{Expression: e}})
	}
	return s
}

func claim(name string, requests ...resourceapi.DeviceRequest) *resourceapi.ResourceClaim {
	return &resourceapi.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID(name)},
		Spec:       resourceapi.ResourceClaimSpec{Devices: resourceapi.DeviceClaim{Requests: requests}},
	}
}

func match(c *resourceapi.ResourceClaim, attribute string, requests ...string) *resourceapi.ResourceClaim {
	c.Spec.Devices.Constraints = append(c.Spec.Devices.Constraints, resourceapi.DeviceConstraint{
		MatchAttribute: new(resourceapi.FullyQualifiedName(driver + "/" + attribute)), Requests: requests,
	})
	return c
}

func distinct(c *resourceapi.ResourceClaim, attribute string) *resourceapi.ResourceClaim {
	c.Spec.Devices.Constraints = append(c.Spec.Devices.Constraints, resourceapi.DeviceConstraint{
		DistinctAttribute: new(resourceapi.FullyQualifiedName(driver + "/" + attribute)),
	})
	return c
}

// selector supports "name=value", "fails", "does not compile", and "x or fails": kind=x, failing on
// devices of kind bad.
type selector string

func (s selector) Err() error {
	if s == "does not compile" {
		return errors.New("syntax error")
	}
	return nil
}

func (s selector) Match(_ context.Context, content *inventory.Content) (bool, error) {
	kind := content.Attributes["kind"].StringValue
	if s == "fails" || s == "x or fails" && kind != nil && *kind == "bad" {
		return false, errors.New("no such key")
	}
	if s == "x or fails" {
		s = "kind=x"
	}
	name, value, _ := strings.Cut(string(s), "=")
	got := content.Attributes[resourceapi.QualifiedName(name)].StringValue
	return got != nil && *got == value, nil
}

func (w world) features() inventory.Features {
	features := inventory.AllFeatures()
	if w.without != nil {
		w.without(&features)
	}
	return features
}

func (w world) config() allocator.Config {
	return allocator.WithPricesFrom(allocator.Config{
		Features: w.features(),
		MaxSteps: w.steps,
		Class: func(name string) (*resourceapi.DeviceClass, error) {
			if name != "class" {
				return nil, fmt.Errorf("class %s not found", name)
			}
			class := &resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: name}}
			class.Spec.Selectors = w.classSelectors
			for range w.classConfig {
				class.Spec.Config = append(class.Spec.Config, resourceapi.DeviceClassConfiguration{})
			}
			return class, nil
		},
		Compile: func(expression string) allocator.Selector { return selector(expression) },
	}, w.prices)
}

func (w world) allocate(t testing.TB) (allocator.Result, error) {
	t.Helper()
	all := slices.Clone(w.slices)
	if w.devices != nil {
		all = append(all, pool("node", w.devices...))
	}
	view, err := inventory.New(w.features()).With(all).Node(node())
	if err != nil {
		t.Fatalf("look at the node: %v", err)
	}
	used := state.New()
	for i, device := range w.taken {
		c := claim(fmt.Sprintf("other-%d", i))
		c.Status.Allocation = &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{
			Results: []resourceapi.DeviceRequestAllocationResult{{Request: "r", Driver: driver, Pool: "node", Device: device}},
		}}
		used.Set(c)
	}
	for _, c := range w.others {
		used.Set(c)
	}
	demand, err := allocator.NewDemand(w.claims, w.config())
	if err != nil {
		return allocator.Result{}, err
	}
	return allocator.Allocate(t.Context(), allocator.Problem{Demand: demand, Node: view, Used: used.Snapshot()})
}

// got formats a result as "request:device ..." with claims separated by "|".
func got(r allocator.Result) string {
	if !r.Fits() {
		return r.Reason().String()
	}
	var claims []string
	for _, a := range r.Allocations(func() types.UID { return "share" }) {
		var devices []string
		for _, d := range a.Devices.Results {
			devices = append(devices, d.Request+":"+d.Device)
		}
		claims = append(claims, strings.Join(devices, " "))
	}
	return strings.Join(claims, " | ")
}
