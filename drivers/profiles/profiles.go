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

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Names of attributes and capacities, used in cases' selectors.
const (
	Model  = "model"
	Index  = "index"
	Memory = "memory"
)

// Conditions of fabric devices: those the scheduler waits for, and the failure condition.
const (
	Attached     = "dra-conformance.github.io/attached"
	Configured   = "dra-conformance.github.io/configured"
	AttachFailed = "dra-conformance.github.io/attach-failed"
)

// Empty is a pool without devices: the driver runs, its devices come later.
func Empty() spec.Profile {
	return spec.Profile{Name: "empty", Pools: []spec.Pool{{Devices: []resourceapi.Device{}}}}
}

// OneDevice is a single device, model a.
func OneDevice() spec.Profile { return plain("one-device", 1) }

// TwoDevices are two devices of model a.
func TwoDevices() spec.Profile { return plain("two-devices", 2) }

// FourDevices are four devices of model a.
func FourDevices() spec.Profile { return plain("four-devices", 4) }

// Devices are so many devices of model a.
func Devices(count int) spec.Profile { return plain(fmt.Sprintf("%d-devices", count), count) }

// TwoModels are four devices: device-0 and device-1 of model a with 8Gi of
// memory, device-2 and device-3 of model b with 16Gi.
func TwoModels() spec.Profile {
	profile := plain("two-models", 4)
	for i := range profile.Pools[0].Devices[2:] {
		profile.Pools[0].Devices[2+i] = Device(2+i, "b", "16Gi")
	}
	return profile
}

// FourKinds are four devices. Only device-3 is of model b, has more than 8Gi of memory, and has an index other than
// 2: each of the three conditions excludes one device matching the other two.
func FourKinds() spec.Profile {
	return spec.Profile{Name: "four-kinds", Pools: []spec.Pool{{Devices: []resourceapi.Device{
		Device(0, "a", "16Gi"), Device(1, "b", "8Gi"), Device(2, "b", "16Gi"), Device(3, "b", "16Gi"),
	}}}}
}

// FabricDevice is a device to be attached and configured before its pod may be bound.
func FabricDevice() spec.Profile {
	profile := plain("fabric-device", 1)
	device := &profile.Pools[0].Devices[0]
	device.BindingConditions = []string{Attached, Configured}
	device.BindingFailureConditions = []string{AttachFailed}
	return profile
}

// ReportingHealth makes the driver of a one-pool inventory report health, with the given devices unhealthy.
func ReportingHealth(profile spec.Profile, unhealthy ...string) spec.Profile {
	profile.Name += "-reporting-health"
	profile.Health = true
	for _, device := range unhealthy {
		profile.Pools[0].Health = append(profile.Pools[0].Health, spec.DeviceHealth{Device: device, State: corev1.ResourceHealthStatusUnhealthy})
	}
	return profile
}

// WritingMetadata makes the driver write device metadata files for containers.
func WritingMetadata(profile spec.Profile) spec.Profile {
	profile.Name += "-writing-metadata"
	profile.Metadata = true
	return profile
}

// WritingStatus makes the driver write prepared devices into the status of claims.
func WritingStatus(profile spec.Profile) spec.Profile {
	profile.Name += "-writing-status"
	profile.DeviceStatus = true
	return profile
}

// Tainted gives all devices of an inventory a taint.
func Tainted(profile spec.Profile, taint resourceapi.DeviceTaint) spec.Profile {
	profile.Name += "-tainted"
	for _, pool := range profile.Pools {
		for i := range pool.Devices {
			pool.Devices[i].Taints = append(pool.Devices[i].Taints, taint)
		}
	}
	return profile
}

// Device is device-<index> with its attributes and memory capacity.
func Device(index int, model, memory string) resourceapi.Device {
	number := int64(index)
	return resourceapi.Device{
		Name: fmt.Sprintf("device-%d", index),
		Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{
			Model: {StringValue: &model},
			Index: {IntValue: &number},
		},
		Capacity: map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{
			Memory: {Value: resource.MustParse(memory)},
		},
	}
}

func plain(name string, count int) spec.Profile {
	pool := spec.Pool{Devices: make([]resourceapi.Device, 0, count)}
	for i := range count {
		pool.Devices = append(pool.Devices, Device(i, "a", "8Gi"))
	}
	return spec.Profile{Name: name, Pools: []spec.Pool{pool}}
}
