package fabricplan

import "time"

// What follows is how a fabric describes itself, in the form of its API.

// Inventory is what a cluster can see of a fabric.
type Inventory struct {
	Models []Model `json:"models"`
	// Devices are those that are attached for this cluster, or on the way.
	Devices []Device `json:"devices"`
}

// Model is a kind of devices. All devices of a model are the same to users.
type Model struct {
	Name string `json:"name"`
	// Free is how many can be attached now.
	Free int `json:"free"`
	// Attributes are strings that devices of the model are described by.
	Attributes map[string]string `json:"attributes,omitempty"`
}

// Device is one device of this cluster.
type Device struct {
	// ID is also the name by which a driver publishes the device on its node.
	ID    string      `json:"id"`
	Model string      `json:"model"`
	Phase DevicePhase `json:"phase"`
	Node  string      `json:"node,omitempty"`
	// Key is the one of the request for which the device was attached.
	Key string `json:"key,omitempty"`
}

// DevicePhase is what becomes of a device.
type DevicePhase string

// The phases of devices that a cluster has.
const (
	DeviceAttaching DevicePhase = "Attaching"
	DeviceAttached  DevicePhase = "Attached"
	DeviceDetaching DevicePhase = "Detaching"
	DeviceDead      DevicePhase = "Dead"
)

// Task is an operation that goes on after it was asked for.
type Task struct {
	Phase  TaskPhase `json:"phase"`
	Device string    `json:"device"`
	// Error says why the task has failed.
	Error string `json:"error,omitempty"`
	// Ends is when a running task is expected to be over, by the fabric's clock.
	Ends time.Time `json:"ends"`
}

// TaskPhase is how far a task is.
type TaskPhase string

// The phases of a task.
const (
	TaskRunning   TaskPhase = "Running"
	TaskSucceeded TaskPhase = "Succeeded"
	TaskFailed    TaskPhase = "Failed"
)

// Answer is what a fabric says to Attach: a task, or why there is none and will not be.
type Answer struct {
	Task Task
	// Refused is the reason of a condition, as ReasonNoneFree; empty if there is a task.
	Refused string
	Message string
}
