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

package fabric

import (
	"errors"
	"time"
)

// Phase is a device's phase.
type Phase string

// Phases of a device: from Free to Attaching to Attached to Detaching to Free, and from anywhere to Dead.
const (
	Free      Phase = "Free"
	Attaching Phase = "Attaching"
	Attached  Phase = "Attached"
	Detaching Phase = "Detaching"
	// Dead devices do not work; an attached one stays at its node until detached.
	Dead Phase = "Dead"
)

// Device is a device of the fabric as seen by a cluster: other clusters' use is not visible.
type Device struct {
	// ID is the global device ID, a DNS label.
	ID    string `json:"id"`
	Model string `json:"model"`
	Phase Phase  `json:"phase"`
	// Node is the current, future or last node of the device; empty in Free.
	Node string `json:"node,omitempty"`
	// Key is the key of the attach request.
	Key string `json:"key,omitempty"`
}

// Model is a kind of interchangeable devices.
type Model struct {
	Name string `json:"name"`
	// Free is how many can be attached now.
	Free int `json:"free"`
	// Attributes are string attributes of the model's devices.
	Attributes map[string]string `json:"attributes,omitempty"`
}

// Inventory is a cluster's view: all models, and its own devices.
type Inventory struct {
	// Revision changes whenever anything in the fabric does.
	Revision int64    `json:"revision"`
	Models   []Model  `json:"models"`
	Devices  []Device `json:"devices"`
}

// AttachRequest asks for any free device of a model.
type AttachRequest struct {
	// Key makes the request idempotent: a repetition returns the same task. It cannot be used for another request, nor
	// again after its device was detached.
	Key   string `json:"key"`
	Model string `json:"model"`
	Node  string `json:"node"`
}

// DetachRequest gives a device of the own cluster back.
type DetachRequest struct {
	Device string `json:"device"`
	// Key is the key of the attach request. Without it the device is detached whatever it is attached for, including
	// later requests.
	Key string `json:"key,omitempty"`
}

// TaskPhase is how far a task is.
type TaskPhase string

// The phases of a task.
const (
	Running   TaskPhase = "Running"
	Succeeded TaskPhase = "Succeeded"
	Failed    TaskPhase = "Failed"
)

// Operation is the operation of a task.
type Operation string

// The operations.
const (
	Attach Operation = "Attach"
	Detach Operation = "Detach"
)

// Task is an asynchronous operation.
type Task struct {
	ID        string    `json:"id"`
	Operation Operation `json:"operation"`
	Phase     TaskPhase `json:"phase"`
	Device    string    `json:"device"`
	Model     string    `json:"model"`
	Node      string    `json:"node"`
	Key       string    `json:"key,omitempty"`
	// Error says why the task has failed.
	Error string `json:"error,omitempty"`
	// Ends is when a running task is over.
	Ends time.Time `json:"ends"`
}

// Errors of requests. Clients return the same ones.
var (
	// ErrNoneFree: other clusters or nodes have all devices of the model.
	ErrNoneFree = errors.New("no device of the model is free")
	// ErrKeyUsed: the key was used for another request, or its device was detached.
	ErrKeyUsed = errors.New("the key was used before")
	// ErrNotFound: no such model, device or task in this cluster.
	ErrNotFound = errors.New("not found")
	// ErrNotAttached: the device cannot be detached now.
	ErrNotAttached = errors.New("the device is not attached")
	// ErrRefused: the script has the fabric refuse the request.
	ErrRefused = errors.New("refused by the fabric")
	// ErrInvalid: the request is malformed.
	ErrInvalid = errors.New("invalid request")
	// ErrUnauthorized: the token is unknown or lacks permission.
	ErrUnauthorized = errors.New("unauthorized")
)
