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

package whatif

import (
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/harness/whatif"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// simulates is checked by all cases of this file.
const simulates spec.RequirementID = "kep-4381/autoscaler-simulates"

// predicted returns a case; build creates its pods and returns their node groups. With the predicted
// nodes, all pods are scheduled and the number of free devices is as predicted. With one node less,
// the number of waiting pods of each kind is as predicted.
func predicted(id, what string, n spec.Needs, build func(t *harness.T) []spec.NodeGroup, more ...spec.RequirementID) harness.Case {
	return harness.Case{Meta: spec.Meta{
		ID:       "whatif/" + id,
		Checks:   "dra-whatif predicts exactly how many nodes pods " + what + " need.",
		Requires: append([]spec.RequirementID{simulates}, more...),
		Needs:    n,
	}, Run: func(t *harness.T) { expectTrue(t, build(t)...) }}
}

// devices returns n equal devices.
func devices(n int) []resourceapi.Device { return profiles.Devices(n).Pools[0].Devices }

// Templates has five pods for nodes of two devices.
var Templates = predicted("templates", "with a claim from a template each", needs(), func(t *harness.T) []spec.NodeGroup {
	equal(t, "pod", 5, objects.Claim("", objects.Request("req", t.CreateClass(nil))), nil)
	return []spec.NodeGroup{whatif.NodeGroup(t, "gpu", devices(2)...)}
})

// AllDevices has three pods, each taking a whole node.
var AllDevices = predicted("all-devices", "requesting all devices of a node", needs(), func(t *harness.T) []spec.NodeGroup {
	request := objects.Request("req", t.CreateClass(nil))
	request.Exactly.AllocationMode = resourceapi.DeviceAllocationModeAll
	equal(t, "pod", 3, objects.Claim("", request), nil)
	return []spec.NodeGroup{whatif.NodeGroup(t, "gpu", devices(2)...)}
})

// Shared has two claims with three pods each.
var Shared = predicted("shared", "sharing claims", needs(), func(t *harness.T) []spec.NodeGroup {
	class := t.CreateClass(nil)
	for i, claim := range []string{"a", "b"} {
		t.Create(objects.Claim(claim, objects.Request("req", class)))
		for j := range 3 {
			wait(t, objects.Pod(fmt.Sprintf("pod-%d", 3*i+j), t.Image, claim), nil)
		}
	}
	return []spec.NodeGroup{whatif.NodeGroup(t, "gpu", devices(1)...)}
})

// Alternatives has pods preferring three devices and accepting two.
var Alternatives = predicted("alternatives", "with a prioritized list, served by its last alternative", needs(spec.PrioritizedList), func(t *harness.T) []spec.NodeGroup {
	class := t.CreateClass(nil)
	request := resourceapi.DeviceRequest{Name: "req"}
	for _, count := range []int64{3, 2} {
		request.FirstAvailable = append(request.FirstAvailable, resourceapi.DeviceSubRequest{
			Name: fmt.Sprintf("want-%d", count), DeviceClassName: class, AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: count,
		})
	}
	equal(t, "pod", 3, objects.Claim("", request), nil)
	return []spec.NodeGroup{whatif.NodeGroup(t, "gpu", devices(2)...)}
})

// Partitions has pods with half of a device each.
var Partitions = predicted("partitions", "requesting partitions of devices", needs(spec.PartitionableDevices), func(t *harness.T) []spec.NodeGroup {
	class := t.CreateClass(nil)
	equal(t, "pod", 3, objects.Claim("", objects.Request("req", class, t.Attribute(profiles.Model)+" == '"+profiles.Half+"'")), nil)
	pool := profiles.Partitions().Pools[0]
	group := whatif.NodeGroup(t, "gpu", pool.Devices...)
	counters := t.Slice(group.Node.Name, group.Node.Name)
	counters.Name += "-counters"
	counters.Spec.SharedCounters = pool.SharedCounters
	group.Slices = append(group.Slices, counters)
	for _, s := range group.Slices {
		s.Spec.Pool.ResourceSliceCount = 2
	}
	return []spec.NodeGroup{group}
})

// Capacity has pods with three of the 8Gi of a device each.
var Capacity = predicted("capacity", "requesting part of a device's capacity", needs(spec.ConsumableCapacity), func(t *harness.T) []spec.NodeGroup {
	request := objects.Request("req", t.CreateClass(nil))
	request.Exactly.Capacity = &resourceapi.CapacityRequirements{Requests: map[resourceapi.QualifiedName]resource.Quantity{profiles.Memory: resource.MustParse("3Gi")}}
	equal(t, "pod", 5, objects.Claim("", request), nil)
	return []spec.NodeGroup{whatif.NodeGroup(t, "gpu", profiles.SharedCapacity().Pools[0].Devices...)}
})

// Constraints has pods with two devices of the same model each; a node has two of one model and one of
// another.
var Constraints = predicted("constraints", "with devices of one model", needs(), func(t *harness.T) []spec.NodeGroup {
	request := objects.Request("req", t.CreateClass(nil))
	request.Exactly.AllocationMode, request.Exactly.Count = resourceapi.DeviceAllocationModeExactCount, 2
	claim := objects.Claim("", request)
	claim.Spec.Devices.Constraints = []resourceapi.DeviceConstraint{{MatchAttribute: ptr.To(resourceapi.FullyQualifiedName(t.DriverName() + "/" + profiles.Model))}}
	equal(t, "pod", 2, claim, nil)
	return []spec.NodeGroup{whatif.NodeGroup(t, "gpu", profiles.Device(0, "a", "8Gi"), profiles.Device(1, "b", "8Gi"), profiles.Device(2, "a", "8Gi"))}
})

// AdminAccess has pods monitoring one device each and needing three of a node's 8 CPUs.
var AdminAccess = predicted("admin-access", "with admin access to one device of each node", needs(spec.AdminAccess), func(t *harness.T) []spec.NodeGroup {
	edit.AllowAdminAccess(t)
	request := objects.Request("req", t.CreateClass(nil))
	request.Exactly.AdminAccess = ptr.To(true)
	equal(t, "pod", 5, objects.Claim("", request), cpus("3"))
	return []spec.NodeGroup{whatif.NodeGroup(t, "gpu", devices(1)...)}
})

// Taints has pods tolerating the taint of a node's first device, and pods for devices without a taint
// by slice or rule.
var Taints = predicted("taints", "some of them tolerating tainted devices", needs(spec.DeviceTaints, spec.DeviceTaintRules), func(t *harness.T) []spec.NodeGroup {
	class := t.CreateClass(nil)
	taint := resourceapi.DeviceTaint{Key: profiles.TaintKey, Effect: resourceapi.DeviceTaintEffectNoSchedule}
	rule := objects.TaintRule(t.DriverName(), t.DriverName(), taint)
	rule.Spec.DeviceSelector.Device = ptr.To("device-1")
	t.Create(rule)
	tolerating := objects.Request("req", class, t.Attribute(profiles.Index)+" == 0")
	tolerating.Exactly.Tolerations = []resourceapi.DeviceToleration{{Key: profiles.TaintKey, Operator: resourceapi.DeviceTolerationOpExists}}
	equal(t, "tolerating", 2, objects.Claim("", tolerating), nil)
	equal(t, "plain", 3, objects.Claim("", objects.Request("req", class)), nil)
	all := devices(4)
	all[0].Taints = []resourceapi.DeviceTaint{taint}
	return []spec.NodeGroup{whatif.NodeGroup(t, "gpu", all...)}
})

// ExtendedExplicit has pods with two of the class's explicit extended resource.
var ExtendedExplicit = predicted("extended-explicit", "with an extended resource of a class", needs(spec.ExtendedResource), func(t *harness.T) []spec.NodeGroup {
	name := t.Namespace + ".dra-conformance.github.io/gpu"
	t.CreateClass(func(c *resourceapi.DeviceClass) { c.Spec.ExtendedResourceName = &name })
	return wanting(t, name)
}, "kep-5004/special-claim-in-simulation")

// ExtendedImplicit has pods with two of the class's implicit extended resource.
var ExtendedImplicit = predicted("extended-implicit", "with the implicit extended resource of a class", needs(spec.ExtendedResource), func(t *harness.T) []spec.NodeGroup {
	return wanting(t, resourceapi.ResourceDeviceClassPrefix+t.CreateClass(nil))
}, "kep-5004/special-claim-in-simulation")

// wanting creates pods with two of an extended resource, for nodes of five devices.
func wanting(t *harness.T, resourceName string) []spec.NodeGroup {
	for _, name := range []string{"pod-0", "pod-1", "pod-2"} {
		wait(t, objects.PodWanting(name, t.Image, map[string]int64{resourceName: 2}), nil)
	}
	return []spec.NodeGroup{whatif.NodeGroup(t, "gpu", devices(5)...)}
}
