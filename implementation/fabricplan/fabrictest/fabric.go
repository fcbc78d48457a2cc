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

package fabrictest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/dra-conformance/dratest/implementation/fabricplan"
)

// Fabric has devices of one model. Its clock is time.Now.
type Fabric struct {
	// Takes is the duration of new tasks.
	Takes time.Duration
	// DetachTakes is the duration of detaching a device.
	DetachTakes time.Duration
	// Fail is the error of new tasks.
	Fail string

	mu      sync.Mutex
	down    error // see Break
	model   string
	devices map[string]*device
	tasks   map[string]*task
	// attached and detached count devices.
	attached, detached int
	// asked counts detach requests.
	asked int
}

type device struct {
	fabricplan.Device
	// other is set if another cluster has it.
	other bool
	// leaves is the end of a running detach.
	leaves time.Time
}

type task struct {
	fabricplan.Task
	node  string
	fails string
}

const free fabricplan.DevicePhase = ""

// Break makes all requests fail with an error, until it is nil.
func (f *Fabric) Break(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.down = err
}

// New makes a fabric with count devices of a model: model-0, model-1.
func New(model string, count int) *Fabric {
	f := &Fabric{model: model, devices: map[string]*device{}, tasks: map[string]*task{}}
	for i := range count {
		id := fmt.Sprintf("%s-%d", model, i)
		f.devices[id] = &device{Device: fabricplan.Device{ID: id, Model: model}}
	}
	return f
}

// Inventory is the cluster's view.
func (f *Fabric) Inventory(context.Context) (fabricplan.Inventory, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.down != nil {
		return fabricplan.Inventory{}, f.down
	}
	f.settle()
	model := fabricplan.Model{Name: f.model}
	var inventory fabricplan.Inventory
	for _, id := range slices.Sorted(maps.Keys(f.devices)) {
		switch d := f.devices[id]; {
		case d.other:
		case d.Phase == free:
			model.Free++
		default:
			inventory.Devices = append(inventory.Devices, d.Device)
		}
	}
	inventory.Models = []fabricplan.Model{model}
	return inventory, nil
}

// Attach starts to attach a device, or reports progress.
func (f *Fabric) Attach(_ context.Context, a fabricplan.Attach) (fabricplan.Answer, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.down != nil {
		return fabricplan.Answer{}, f.down
	}
	f.settle()
	if t := f.tasks[a.Key]; t != nil {
		if t.node != a.Node {
			return fabricplan.Answer{}, fmt.Errorf("key %s was used for node %s", a.Key, t.node)
		}
		if t.Phase == fabricplan.TaskSucceeded && f.devices[t.Device].Key != a.Key {
			return fabricplan.Answer{Refused: fabricplan.ReasonKeyUsed, Message: "detached"}, nil
		}
		return fabricplan.Answer{Task: t.Task}, nil
	}
	for _, id := range slices.Sorted(maps.Keys(f.devices)) {
		d := f.devices[id]
		if d.other || d.Phase != free || a.Model != f.model {
			continue
		}
		d.Phase, d.Node, d.Key = fabricplan.DeviceAttaching, a.Node, a.Key
		t := &task{Task: fabricplan.Task{Phase: fabricplan.TaskRunning, Device: id, Ends: time.Now().Add(f.Takes)}, node: a.Node, fails: f.Fail}
		f.tasks[a.Key] = t
		f.attached++
		f.settle()
		return fabricplan.Answer{Task: t.Task}, nil
	}
	return fabricplan.Answer{Refused: fabricplan.ReasonNoneFree, Message: "none is free"}, nil
}

// Detach starts to detach a device. A dead device looks dead until then.
func (f *Fabric) Detach(_ context.Context, a fabricplan.Detach) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.down != nil {
		return f.down
	}
	f.settle()
	d := f.devices[a.Device]
	if d == nil || d.Key != a.Key {
		return errors.New("not found")
	}
	f.asked++
	if !d.leaves.IsZero() {
		return nil // detaching already
	}
	f.detached++
	d.leaves = time.Now().Add(f.DetachTakes)
	if d.Phase != fabricplan.DeviceDead {
		d.Phase = fabricplan.DeviceDetaching
	}
	f.settle()
	return nil
}

func (f *Fabric) settle() {
	for _, d := range f.devices {
		if d.leaves.IsZero() || d.leaves.After(time.Now()) {
			continue
		}
		phase := free
		if d.Phase == fabricplan.DeviceDead {
			phase = fabricplan.DeviceDead
		}
		*d = device{Device: fabricplan.Device{ID: d.ID, Model: d.Model, Phase: phase}, other: phase != free}
	}
	for key, t := range f.tasks {
		d := f.devices[t.Device]
		switch {
		case t.Phase != fabricplan.TaskRunning || t.Ends.After(time.Now()):
		case t.fails != "":
			t.Phase, t.Error = fabricplan.TaskFailed, t.fails
			d.Device = fabricplan.Device{ID: d.ID, Model: d.Model}
		case d.Key == key:
			t.Phase, d.Phase = fabricplan.TaskSucceeded, fabricplan.DeviceAttached
		}
	}
}

// Take has another cluster take a free device.
func (f *Fabric) Take(id string) { f.with(id, func(d *device) { d.other = true }) }

// Kill makes a device die.
func (f *Fabric) Kill(id string) {
	f.with(id, func(d *device) { d.Phase = fabricplan.DeviceDead })
}

func (f *Fabric) with(id string, do func(*device)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.settle()
	do(f.devices[id])
}

// Device is a device as the fabric has it.
func (f *Fabric) Device(id string) fabricplan.Device {
	var found fabricplan.Device
	f.with(id, func(d *device) { found = d.Device })
	return found
}

// Asked returns the number of detach requests for a device.
func (f *Fabric) Asked() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.asked
}

// Count returns the numbers of attached and of detached devices.
func (f *Fabric) Count() (attached, detached int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.attached, f.detached
}
