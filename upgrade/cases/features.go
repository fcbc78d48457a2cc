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

package cases

import (
	"fmt"
	"strings"
	"time"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// byFeature returns a case for each feature of DRA beyond its core.
func byFeature() []Case {
	var all []Case
	for _, f := range []feature{deviceStatus, adminAccess, prioritizedList, taints, partitions, capacity, bindingConditions} {
		all = append(all, f.lives())
	}
	return all
}

var deviceStatus = feature{
	Meta: spec.Meta{
		ID:       "upgrade/device-status",
		Checks:   "Device status in a claim survives every step, and writing it needs only a driver's rights in each mix of versions.",
		Requires: []spec.RequirementID{"kep-4817/status-kept"},
		Needs:    spec.Needs{Features: []spec.Feature{spec.DeviceStatus}, Profile: profiles.TwoDevices()},
	},
	prepare: func(t *harness.T, _ *Notes) { allowReport(t, reporter) },
	request: one,
	holds: func(t *harness.T, claim *resourceapi.ResourceClaim) {
		device := result(t, claim)
		want := resourceapi.AllocatedDeviceStatus{
			Driver: device.Driver, Pool: device.Pool, Device: device.Device,
			Conditions: []metav1.Condition{{
				Type: "Ready", Status: metav1.ConditionTrue, Reason: "Told", Message: claim.Name,
				LastTransitionTime: metav1.Unix(1700000000, 0),
			}},
			Data:        &runtime.RawExtension{Raw: []byte(`{"told":"` + claim.Name + `"}`)},
			NetworkData: &resourceapi.NetworkDeviceData{InterfaceName: "net1", IPs: []string{"192.0.2.1/24"}, HardwareAddress: "02:00:00:00:00:01"},
		}
		if len(claim.Status.Devices) == 0 {
			report(t, reporter, claim.Name, want)
		}
		t.Expect(t.Claim(claim.Name).Status.Devices).To(gomega.BeComparableTo([]resourceapi.AllocatedDeviceStatus{want}), "status of the device of claim %s", claim.Name)
	},
}

var adminAccess = feature{
	Meta: spec.Meta{
		ID:       "upgrade/admin-access",
		Checks:   "A claim with admin access keeps a device in use by another claim through every step, and new claims get one.",
		Requires: []spec.RequirementID{"kep-5018/admin-access-shares"},
		Needs:    spec.Needs{Features: []spec.Feature{spec.AdminAccess}, Profile: profiles.OneDevice()},
	},
	prepare: func(t *harness.T, n *Notes) {
		edit.AllowAdminAccess(t)
		t.Create(objects.Claim("holder", one(t.DriverName())))
		t.RunPod(objects.Pod("holder", t.Image, "holder"))
		n.note(t, "holder", "holder")
	},
	request: func(class string) resourceapi.DeviceRequest {
		r := one(class)
		r.Exactly.AdminAccess = ptr.To(true)
		return r
	},
	tooMuch: one,
	holds: func(t *harness.T, claim *resourceapi.ResourceClaim) {
		t.Expect(result(t, claim).AdminAccess).To(gomega.HaveValue(gomega.BeTrue()), "admin access of claim %s", claim.Name)
	},
}

var prioritizedList = feature{
	Meta: spec.Meta{
		ID:       "upgrade/prioritized-list",
		Checks:   "A claim keeps its second alternative through every step, and new claims get the first one when it is available.",
		Requires: []spec.RequirementID{"kep-4816/alternatives-in-order"},
		Needs:    spec.Needs{Features: []spec.Feature{spec.PrioritizedList}, Profile: profiles.TwoModels()},
	},
	prepare: func(t *harness.T, n *Notes) {
		holdFirst(t, n, "holder")
		holdFirst(t, n, first(n))
	},
	request: alternatives,
	tooMuch: alternatives,
	// Devices of both alternatives are free for a moment.
	also: func(t *harness.T, n *Notes) {
		for name := range n.Pods {
			if strings.HasPrefix(name, "first-") {
				end(t, name)
				n.forget(name, name)
			}
		}
		name := fmt.Sprintf("prefers-%d", n.Round)
		t.Create(objects.Claim(name, alternatives(t.DriverName())))
		t.RunPod(objects.Pod(name, t.Image, name))
		got := result(t, t.Claim(name))
		t.Expect(got.Request).To(gomega.Equal("req/first"), "alternative of claim %s, which can have both", name)
		t.Expect(t.Environment(name, "main")).To(matchers.SeeOnlyDevices(got.Device), "devices of pod %s", name)
		end(t, name)
		holdFirst(t, n, first(n))
	},
	holds: func(t *harness.T, claim *resourceapi.ResourceClaim) {
		t.Expect(result(t, claim).Request).To(gomega.Equal("req/second"), "alternative of claim %s", claim.Name)
	},
}

func first(n *Notes) string { return fmt.Sprintf("first-%d", n.Round) }

// holdFirst runs a pod with a device of the first alternative.
func holdFirst(t *harness.T, n *Notes, name string) {
	t.Create(objects.Claim(name, model(t.DriverName(), "a")))
	t.RunPod(objects.Pod(name, t.Image, name))
	n.note(t, name, name)
}

func alternatives(class string) resourceapi.DeviceRequest {
	alternative := func(name, model string) resourceapi.DeviceSubRequest {
		return resourceapi.DeviceSubRequest{
			Name: name, DeviceClassName: class, AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: 1,
			Selectors: []resourceapi.DeviceSelector{ofModel(class, model)},
		}
	}
	return resourceapi.DeviceRequest{Name: "req", FirstAvailable: []resourceapi.DeviceSubRequest{alternative("first", "a"), alternative("second", "b")}}
}

var taints = feature{
	Meta: spec.Meta{
		ID:       "upgrade/device-taints",
		Checks:   "A pod tolerating its device's taint is not evicted at any step, and only claims tolerating the taint get the device.",
		Requires: []spec.RequirementID{"kep-5055/tolerated-or-not"},
		Needs:    spec.Needs{Features: []spec.Feature{spec.DeviceTaints}, Profile: profiles.TaintedDevices()},
	},
	request: func(class string) resourceapi.DeviceRequest {
		r := one(class)
		// With the effect, because of the known issue of case eviction/any-effect.
		r.Exactly.Tolerations = []resourceapi.DeviceToleration{{
			Key: profiles.TaintKey, Operator: resourceapi.DeviceTolerationOpExists, Effect: resourceapi.DeviceTaintEffectNoExecute,
		}}
		return r
	},
	tooMuch:  one,
	unstored: func(device *resourceapi.Device) { device.Taints = nil },
	dropped: func(t *harness.T, claim *resourceapi.ResourceClaim) {
		t.Expect(claim.Spec.Devices.Requests[0].Exactly.Tolerations).To(gomega.BeEmpty(), "tolerations of claim %s", claim.Name)
		t.Expect(result(t, claim).Tolerations).To(gomega.BeEmpty(), "tolerations in the allocation of claim %s", claim.Name)
	},
	holds: func(t *harness.T, claim *resourceapi.ResourceClaim) {
		t.Expect(result(t, claim).Tolerations).To(gomega.HaveLen(1), "tolerations in the allocation of claim %s", claim.Name)
	},
}

var partitions = feature{
	Meta: spec.Meta{
		ID:       "upgrade/partitionable",
		Checks:   "A claim keeps half of a device through every step, and only the other half can be allocated to other claims.",
		Requires: []spec.RequirementID{"kep-4815/counters-not-exceeded"},
		Needs:    spec.Needs{Features: []spec.Feature{spec.PartitionableDevices}, Profile: profiles.Partitions()},
	},
	request:  func(class string) resourceapi.DeviceRequest { return model(class, profiles.Half) },
	tooMuch:  func(class string) resourceapi.DeviceRequest { return model(class, profiles.Whole) },
	unstored: func(device *resourceapi.Device) { device.ConsumesCounters = nil },
	holds: func(t *harness.T, claim *resourceapi.ResourceClaim) {
		t.Expect(result(t, claim).Device).To(gomega.BeElementOf("device-1", "device-2"), "device of claim %s", claim.Name)
	},
}

var capacity = feature{
	Meta: spec.Meta{
		ID:       "upgrade/consumable-capacity",
		Checks:   "A claim keeps its share of a device's memory through every step, and others get no more than is left.",
		Requires: []spec.RequirementID{"kep-5075/capacity-not-exceeded"},
		Needs:    spec.Needs{Features: []spec.Feature{spec.ConsumableCapacity}, Profile: profiles.SharedCapacity()},
	},
	request: share,
	tooMuch: share,
	unstored: func(device *resourceapi.Device) {
		device.AllowMultipleAllocations = nil
		for name, capacity := range device.Capacity {
			capacity.RequestPolicy = nil
			device.Capacity[name] = capacity
		}
	},
	dropped: func(t *harness.T, claim *resourceapi.ResourceClaim) {
		t.Expect(claim.Spec.Devices.Requests[0].Exactly.Capacity).To(gomega.BeNil(), "capacity that claim %s requests", claim.Name)
		device := result(t, claim)
		t.Expect(device.ShareID).To(gomega.BeNil(), "share of claim %s", claim.Name)
		t.Expect(device.ConsumedCapacity).To(gomega.BeEmpty(), "capacity that claim %s consumes", claim.Name)
	},
	holds: func(t *harness.T, claim *resourceapi.ResourceClaim) {
		device := result(t, claim)
		t.Expect(device.ShareID).NotTo(gomega.BeNil(), "share of claim %s", claim.Name)
		used := device.ConsumedCapacity[profiles.Memory]
		t.Expect(used.String()).To(gomega.Equal("3Gi"), "memory of claim %s", claim.Name)
	},
}

// share is more than a third of the device's memory.
func share(class string) resourceapi.DeviceRequest {
	r := one(class)
	r.Exactly.Capacity = &resourceapi.CapacityRequirements{
		Requests: map[resourceapi.QualifiedName]resource.Quantity{profiles.Memory: resource.MustParse("3Gi")},
	}
	return r
}

var bindingConditions = feature{
	Meta: spec.Meta{
		ID:       "upgrade/binding-conditions",
		Checks:   "A claim keeps its device's binding conditions through every step, and new pods are bound when theirs are true.",
		Requires: []spec.RequirementID{"kep-5007/conditions-copied", "kep-5007/waits-for-conditions"},
		Needs:    spec.Needs{Features: []spec.Feature{spec.BindingConditions, spec.DeviceStatus}, Profile: profiles.TwoFabricDevices()},
	},
	prepare: func(t *harness.T, _ *Notes) { attachAtOnce(t) },
	request: one,
	tooMuch: one,
	ofGate:  []spec.RequirementID{"kep-5007/gate-off-spares-claims", "kep-5007/gate-on-again-waits"},
	unstored: func(device *resourceapi.Device) {
		device.BindsToNode, device.BindingConditions, device.BindingFailureConditions = nil, nil, nil
	},
	also: func(t *harness.T, n *Notes) {
		name := fmt.Sprintf("waits-%d", n.Round)
		simdriver.Of(t).Fabric(t.Nodes[0])
		t.Create(objects.Claim(name, one(t.DriverName())), objects.Pod(name, t.Image, name))
		t.WaitEvent(name, "BindingConditionsPending", t.Nodes[0])
		// The second condition follows at least one more check by the scheduler.
		simdriver.Of(t).Fabric(t.Nodes[0], spec.FabricCondition{Type: profiles.Attached}, spec.FabricCondition{Type: profiles.Configured, Delay: betweenLooks + 2*time.Second})
		t.WaitScheduled(name)
		t.Expect(t.Claim(name)).To(matchers.HaveDeviceConditions(profiles.Attached, profiles.Configured), "conditions of claim %s when its pod was bound", name)
		t.WaitRunning(name)
		end(t, name)
		attachAtOnce(t)
	},
	holds: func(t *harness.T, claim *resourceapi.ResourceClaim) {
		t.Expect(result(t, claim).BindingConditions).To(gomega.ConsistOf(profiles.Attached, profiles.Configured), "binding conditions of claim %s", claim.Name)
		t.Expect(claim).To(matchers.HaveDeviceConditions(profiles.Attached, profiles.Configured), "conditions of claim %s", claim.Name)
	},
}

// betweenLooks is the scheduler's polling interval for the conditions of a waiting pod
// (k8s.io/kubernetes v1.37.1 pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go,
// PreBind).
const betweenLooks = 5 * time.Second

// attachAtOnce makes the conditions of all devices true on allocation.
func attachAtOnce(t *harness.T) {
	simdriver.Of(t).Fabric(t.Nodes[0], spec.FabricCondition{Type: profiles.Attached}, spec.FabricCondition{Type: profiles.Configured})
}

func one(class string) resourceapi.DeviceRequest { return objects.Request("req", class) }

func model(class, name string) resourceapi.DeviceRequest {
	r := one(class)
	r.Exactly.Selectors = []resourceapi.DeviceSelector{ofModel(class, name)}
	return r
}

// ofModel selects devices of a model; the class has the driver's name.
func ofModel(driver, name string) resourceapi.DeviceSelector {
	return objects.Selector(`device.attributes["` + driver + `"].` + profiles.Model + ` == "` + name + `"`)
}
