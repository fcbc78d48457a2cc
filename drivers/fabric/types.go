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

// Phase is what becomes of a device.
type Phase string

// The phases. A device goes from Free to Attaching to Attached to Detaching to Free, and
// from anywhere to Dead.
const (
	Free      Phase = "Free"
	Attaching Phase = "Attaching"
	Attached  Phase = "Attached"
	Detaching Phase = "Detaching"
	// Dead devices do not work; one that was attached stays at its node until it is
	// detached.
	Dead Phase = "Dead"
)

// Device is one device of the fabric, as a cluster sees it: what others do with one is
// nobody else's business.
type Device struct {
	// ID is what the device is known by to all, a DNS label.
	ID    string `json:"id"`
	Model string `json:"model"`
	Phase Phase  `json:"phase"`
	// Node has the device attached, or will, or had; empty in Free.
	Node string `json:"node,omitempty"`
	// Key is the one of the request for which the device was attached.
	Key string `json:"key,omitempty"`
}

// Model is a kind of devices. All devices of a model are the same to users.
type Model struct {
	Name string `json:"name"`
	// Free is how many can be attached now.
	Free int `json:"free"`
	// Attributes are strings that devices of the model are described by.
	Attributes map[string]string `json:"attributes,omitempty"`
}

// Inventory is what a cluster can see: all models, and the devices that are its own.
type Inventory struct {
	// Revision changes whenever anything in the fabric does.
	Revision int64    `json:"revision"`
	Models   []Model  `json:"models"`
	Devices  []Device `json:"devices"`
}

// AttachRequest asks for any free device of a model.
type AttachRequest struct {
	// Key makes the request repeatable: the same one is answered with the same task. It can
	// not be used for another request, nor again after its device was detached.
	Key   string `json:"key"`
	Model string `json:"model"`
	Node  string `json:"node"`
}

// DetachRequest gives a device of the own cluster back.
type DetachRequest struct {
	Device string `json:"device"`
	// Key is the one that the device was attached with. Without it whatever the device is
	// attached for ends, also if that has begun after the request was made.
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

// Operation is what a task does.
type Operation string

// The operations.
const (
	Attach Operation = "Attach"
	Detach Operation = "Detach"
)

// Task is an operation that goes on after it was asked for.
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

// What a request can be refused for. A client gets them back from a server.
var (
	// ErrNoneFree: other clusters, or other nodes, have all devices of the model.
	ErrNoneFree = errors.New("no device of the model is free")
	// ErrKeyUsed: the key was used for another request, or its device was detached.
	ErrKeyUsed = errors.New("the key was used before")
	// ErrNotFound: there is no such model, device or task, or it is another cluster's.
	ErrNotFound = errors.New("not found")
	// ErrNotAttached: the device cannot be detached now.
	ErrNotAttached = errors.New("the device is not attached")
	// ErrRefused: the script has the fabric refuse the request.
	ErrRefused = errors.New("refused by the fabric")
	// ErrInvalid: the request says nothing that the fabric understands.
	ErrInvalid = errors.New("invalid request")
	// ErrUnauthorized: the token is nobody's, or not of somebody who may do this.
	ErrUnauthorized = errors.New("unauthorized")
)
