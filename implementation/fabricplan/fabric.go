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

package fabricplan

import (
	"fmt"
	"time"
)

// The following types are a fabric's API.

// Inventory is a cluster's view of a fabric.
type Inventory struct {
	Models []Model `json:"models"`
	// Devices are attached to this cluster, or being attached.
	Devices []Device `json:"devices"`
}

// Limits of an Inventory. All free devices are published, 128 per ResourceSlice.
const (
	maxFree    = 100_000
	maxDevices = 100_000
)

// Validate rejects numbers beyond the size of any fabric: publishing them would exhaust memory and overload the API server.
func (i Inventory) Validate() error {
	free := 0
	for _, model := range i.Models {
		if model.Free < 0 || model.Free > maxFree {
			return fmt.Errorf("model %q has %d free devices, must be between 0 and %d", model.Name, model.Free, maxFree)
		}
		if free += model.Free; free > maxFree {
			return fmt.Errorf("the models have more than %d free devices in total", maxFree)
		}
	}
	if len(i.Devices) > maxDevices {
		return fmt.Errorf("%d devices are attached, must be at most %d", len(i.Devices), maxDevices)
	}
	return nil
}

// Model is a kind of devices. All devices of a model are equivalent.
type Model struct {
	Name string `json:"name"`
	// Free is the number of devices available now.
	Free int `json:"free"`
	// Attributes are string attributes of the model's devices.
	Attributes map[string]string `json:"attributes,omitempty"`
}

// Device is one device of this cluster.
type Device struct {
	// ID is also the name under which a driver publishes the device.
	ID    string      `json:"id"`
	Model string      `json:"model"`
	Phase DevicePhase `json:"phase"`
	Node  string      `json:"node,omitempty"`
	// Key is the key of the attach request.
	Key string `json:"key,omitempty"`
}

// DevicePhase is the phase of a device.
type DevicePhase string

// The phases of a cluster's devices.
const (
	DeviceAttaching DevicePhase = "Attaching"
	DeviceAttached  DevicePhase = "Attached"
	DeviceDetaching DevicePhase = "Detaching"
	DeviceDead      DevicePhase = "Dead"
)

// Task is an asynchronous operation.
type Task struct {
	Phase  TaskPhase `json:"phase"`
	Device string    `json:"device"`
	// Error is why the task failed.
	Error string `json:"error,omitempty"`
	// Ends is the expected end of a running task, by the fabric's clock.
	Ends time.Time `json:"ends"`
}

// TaskPhase is the phase of a task.
type TaskPhase string

// The phases of a task.
const (
	TaskRunning   TaskPhase = "Running"
	TaskSucceeded TaskPhase = "Succeeded"
	TaskFailed    TaskPhase = "Failed"
)

// Answer is the answer to Attach: a task, or the reason for a permanent refusal.
type Answer struct {
	Task Task
	// Refused is the reason of a condition, such as ReasonNoneFree; empty if there is a task.
	Refused string
	Message string
}
