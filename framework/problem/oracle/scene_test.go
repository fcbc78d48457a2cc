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

package oracle_test

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/problem"
	"github.com/dra-conformance/dratest/framework/problem/oracle"
)

const driver = "gpu.example.com"

// scene is a small problem with an outcome, to be changed by tests: a pod on node-0 with gpu-0 of
// pool "a". Devices gpu-1 and gpu-2 are free. Another pool is on node-1.
type scene struct {
	*problem.Problem
	oracle.Outcome
}

func newScene() *scene {
	p := &problem.Problem{
		Nodes: []problem.Node{
			{Name: "node-0", Labels: map[string]string{"zone": "east"}},
			{Name: "node-1", Labels: map[string]string{"zone": "west"}},
		},
		Classes: []resourceapi.DeviceClass{{
			ObjectMeta: metav1.ObjectMeta{Name: "gpu"},
			Spec: resourceapi.DeviceClassSpec{Config: []resourceapi.DeviceClassConfiguration{{
				DeviceConfiguration: parameters("class"),
			}}},
		}},
	}
	p.Slices = []resourceapi.ResourceSlice{slice("a", "node-0", "gpu-0", "gpu-1", "gpu-2"), slice("b", "node-1", "gpu-0")}
	s := &scene{Problem: p}
	s.claims(claim("claim", request("r", 1)))
	s.allocate(0, result("r", "gpu-0"))
	s.Outcome.Pods = []oracle.Pod{{Namespace: "default", Name: "pod", UID: "pod", Claims: []string{"claim"}, Node: "node-0"}}
	return s
}

// claims replaces the claims of the pod.
func (s *scene) claims(all ...resourceapi.ResourceClaim) {
	s.Problem.Claims, s.Outcome.Claims = all, nil
	for i := range all {
		s.Outcome.Claims = append(s.Outcome.Claims, *all[i].DeepCopy())
	}
	if len(s.Outcome.Pods) > 0 {
		s.Outcome.Pods[0].Claims = nil
		for i := range all {
			s.Outcome.Pods[0].Claims = append(s.Outcome.Pods[0].Claims, all[i].Name)
		}
	}
}

// allocate allocates devices of pool "a" to a claim, with the class's configuration.
func (s *scene) allocate(claim int, results ...resourceapi.DeviceRequestAllocationResult) *resourceapi.AllocationResult {
	status := &s.Outcome.Claims[claim].Status
	status.ReservedFor = []resourceapi.ResourceClaimConsumerReference{{Resource: "pods", Name: "pod", UID: "pod"}}
	status.Allocation = &resourceapi.AllocationResult{
		Devices:      resourceapi.DeviceAllocationResult{Results: results},
		NodeSelector: onlyNode("node-0"),
	}
	var named []string
	for _, r := range results {
		if !slices.Contains(named, r.Request) {
			named = append(named, r.Request)
		}
	}
	for _, name := range named {
		status.Allocation.Devices.Config = append(status.Allocation.Devices.Config, resourceapi.DeviceAllocationConfiguration{
			Source: resourceapi.AllocationConfigSourceClass, Requests: []string{name}, DeviceConfiguration: parameters("class"),
		})
	}
	return status.Allocation
}

// wait makes the pod pending, without an allocation.
func (s *scene) wait() {
	s.Outcome.Pods[0].Node = ""
	for i := range s.Outcome.Claims {
		s.Outcome.Claims[i].Status = resourceapi.ResourceClaimStatus{}
	}
}

// use allocates devices to a claim before the start of the problem.
func (s *scene) use(name string, results ...resourceapi.DeviceRequestAllocationResult) {
	used := claim(name)
	used.Status.Allocation = &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{Results: results}}
	used.Status.ReservedFor = []resourceapi.ResourceClaimConsumerReference{{Resource: "pods", Name: "other", UID: "other"}}
	s.Allocated = append(s.Allocated, used)
}

// device returns a device of pool "a".
func (s *scene) device(i int) *resourceapi.Device { return &s.Slices[0].Spec.Devices[i] }

// requested changes the first request of the first claim, in problem and outcome.
func (s *scene) requested(change func(*resourceapi.ExactDeviceRequest)) {
	change(s.Problem.Claims[0].Spec.Devices.Requests[0].Exactly)
	change(s.Outcome.Claims[0].Spec.Devices.Requests[0].Exactly)
}

// constrain adds a constraint to the first claim.
func (s *scene) constrain(c resourceapi.DeviceConstraint) {
	for _, claim := range []*resourceapi.ResourceClaim{&s.Problem.Claims[0], &s.Outcome.Claims[0]} {
		claim.Spec.Devices.Constraints = append(claim.Spec.Devices.Constraints, c)
	}
}

// allocated returns the first result of the first claim.
func (s *scene) allocated() *resourceapi.DeviceRequestAllocationResult {
	return &s.Outcome.Claims[0].Status.Allocation.Devices.Results[0]
}

// share makes gpu-0 a shared device with 10Gi of memory, and allocates a share of it.
func (s *scene) share(policy *resourceapi.CapacityRequestPolicy, requested, consumed string) {
	s.device(0).AllowMultipleAllocations = ptr.To(true)
	s.device(0).Capacity = map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{"memory": {Value: resource.MustParse("10Gi"), RequestPolicy: policy}}
	if requested != "" {
		s.requested(func(r *resourceapi.ExactDeviceRequest) {
			r.Capacity = &resourceapi.CapacityRequirements{Requests: amounts("memory", requested)}
		})
	}
	s.allocated().ShareID = ptr.To(types.UID("new"))
	s.allocated().ConsumedCapacity = amounts("memory", consumed)
}

func amounts(name resourceapi.QualifiedName, amount string) map[resourceapi.QualifiedName]resource.Quantity {
	return map[resourceapi.QualifiedName]resource.Quantity{name: resource.MustParse(amount)}
}

func slice(pool, node string, devices ...string) resourceapi.ResourceSlice {
	s := resourceapi.ResourceSlice{
		ObjectMeta: metav1.ObjectMeta{Name: pool},
		Spec: resourceapi.ResourceSliceSpec{
			Driver: driver, Pool: resourceapi.ResourcePool{Name: pool, Generation: 1, ResourceSliceCount: 1}, NodeName: &node,
		},
	}
	for i, name := range devices {
		s.Spec.Devices = append(s.Spec.Devices, resourceapi.Device{Name: name, Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{
			"model": {StringValue: ptr.To(fmt.Sprint("m", i%2))}, "index": {IntValue: ptr.To(int64(i))},
		}})
	}
	return s
}

func claim(name string, requests ...resourceapi.DeviceRequest) resourceapi.ResourceClaim {
	return resourceapi.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
		Spec:       resourceapi.ResourceClaimSpec{Devices: resourceapi.DeviceClaim{Requests: requests}},
	}
}

func request(name string, count int64) resourceapi.DeviceRequest {
	return resourceapi.DeviceRequest{Name: name, Exactly: &resourceapi.ExactDeviceRequest{
		DeviceClassName: "gpu", AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: count,
	}}
}

// firstOf returns a request with an alternative s0, s1, … for each count.
func firstOf(name string, counts ...int64) resourceapi.DeviceRequest {
	r := resourceapi.DeviceRequest{Name: name}
	for i, count := range counts {
		r.FirstAvailable = append(r.FirstAvailable, resourceapi.DeviceSubRequest{
			Name: fmt.Sprint("s", i), DeviceClassName: "gpu", AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: count,
		})
	}
	return r
}

func result(request, device string) resourceapi.DeviceRequestAllocationResult {
	return resourceapi.DeviceRequestAllocationResult{Request: request, Driver: driver, Pool: "a", Device: device}
}

func onlyNode(name string) *corev1.NodeSelector {
	return &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchFields: []corev1.NodeSelectorRequirement{{
		Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{name},
	}}}}}
}

func parameters(from string) resourceapi.DeviceConfiguration {
	return resourceapi.DeviceConfiguration{Opaque: &resourceapi.OpaqueDeviceConfiguration{
		Driver: driver, Parameters: runtime.RawExtension{Raw: fmt.Appendf(nil, `{"from":%q}`, from)},
	}}
}

func selector(expression string) []resourceapi.DeviceSelector {
	return []resourceapi.DeviceSelector{{CEL: &resourceapi.CELDeviceSelector{Expression: expression}}}
}
