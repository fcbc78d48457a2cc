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

package profiles

import (
	"fmt"
	"slices"
	"strconv"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/spec"
)

// TaintKey is the key of the taints of devices.
const TaintKey = "dra-conformance.github.io/unhealthy"

// The models of partitions.
const (
	Whole = "whole"
	Half  = "half"
)

// Partitions are a device in three forms: device-0 is all of it, device-1 and device-2 are a half each; they share
// its 8Gi of memory.
func Partitions() spec.Profile {
	const memory, all = "memory", "device"
	devices := []resourceapi.Device{Device(0, Whole, "8Gi"), Device(1, Half, "4Gi"), Device(2, Half, "4Gi")}
	for i := range devices {
		devices[i].ConsumesCounters = []resourceapi.DeviceCounterConsumption{{
			CounterSet: all, Counters: map[string]resourceapi.Counter{memory: {Value: devices[i].Capacity[Memory].Value}},
		}}
	}
	return spec.Profile{Name: "partitions", Pools: []spec.Pool{{
		Devices:        devices,
		SharedCounters: []resourceapi.CounterSet{{Name: all, Counters: map[string]resourceapi.Counter{memory: {Value: resource.MustParse("8Gi")}}}},
	}}}
}

// Halves are Partitions without the whole device.
func Halves() spec.Profile {
	profile := Partitions()
	profile.Name = "halves"
	profile.Pools[0].Devices = profile.Pools[0].Devices[1:]
	return profile
}

// SharedCapacity is a device with 8Gi of memory, consumed by claims in multiples of 1Gi.
func SharedCapacity() spec.Profile {
	profile := plain("shared-capacity", 1)
	device := &profile.Pools[0].Devices[0]
	device.AllowMultipleAllocations = ptr.To(true)
	memory := device.Capacity[Memory]
	one := resource.MustParse("1Gi")
	memory.RequestPolicy = &resourceapi.CapacityRequestPolicy{
		Default:    &one,
		ValidRange: &resourceapi.CapacityRequestPolicyRange{Min: &one, Step: &one},
	}
	device.Capacity[Memory] = memory
	return profile
}

// TaintedDevices are two devices with a NoExecute taint.
func TaintedDevices() spec.Profile {
	profile := plain("tainted-devices", 2)
	for i := range profile.Pools[0].Devices {
		profile.Pools[0].Devices[i].Taints = []resourceapi.DeviceTaint{{Key: TaintKey, Effect: resourceapi.DeviceTaintEffectNoExecute}}
	}
	return profile
}

// TwoFabricDevices are two devices like that of FabricDevice.
func TwoFabricDevices() spec.Profile {
	profile := FabricDevice()
	profile.Name = "two-fabric-devices"
	second := *profile.Pools[0].Devices[0].DeepCopy()
	second.Name = "device-1"
	profile.Pools[0].Devices = append(profile.Pools[0].Devices, second)
	return profile
}

// DevicesAndShared are count devices of model a and one shareable device: dra-sim's inventory as a vendor's driver.
func DevicesAndShared(count int) spec.Profile {
	profile := plain(fmt.Sprintf("%d-devices-and-shared", count), count)
	shared := SharedCapacity().Pools[0].Devices[0]
	shared.Name = fmt.Sprintf("device-%d", count)
	profile.Pools[0].Devices = append(profile.Pools[0].Devices, shared)
	return profile
}

// InPools has the devices of a profile with one pool in each of several pools.
func InPools(profile spec.Profile, count int) spec.Profile {
	first := profile.Pools[0]
	for n := 2; n <= count; n++ {
		pool := first
		pool.Suffix, pool.Devices = strconv.Itoa(n), slices.Clone(first.Devices)
		profile.Pools = append(profile.Pools, pool)
	}
	profile.Name += fmt.Sprintf("-in-%d-pools", count)
	return profile
}
