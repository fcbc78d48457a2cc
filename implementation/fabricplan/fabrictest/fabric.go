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
	// Takes is how long tasks run that begin from now on.
	Takes time.Duration
	// Fail is what tasks fail with that begin from now on.
	Fail string

	mu      sync.Mutex
	down    error // see Break
	model   string
	devices map[string]*device
	tasks   map[string]*task
	// attached and detached count by key.
	attached, detached map[string]int
}

type device struct {
	fabricplan.Device
	// other says that another cluster has it.
	other bool
}

type task struct {
	fabricplan.Task
	node  string
	fails string
}

const free fabricplan.DevicePhase = ""

// Break has everything answered with an error, until it is nil.
func (f *Fabric) Break(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.down = err
}

// New makes a fabric with so many devices of a model: model-0, model-1.
func New(model string, count int) *Fabric {
	f := &Fabric{model: model, devices: map[string]*device{}, tasks: map[string]*task{}, attached: map[string]int{}, detached: map[string]int{}}
	for i := range count {
		id := fmt.Sprintf("%s-%d", model, i)
		f.devices[id] = &device{Device: fabricplan.Device{ID: id, Model: model}}
	}
	return f
}

// Inventory is what the cluster can see.
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

// Attach begins to attach a device, or says how far that is.
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
		f.attached[a.Key]++
		f.settle()
		return fabricplan.Answer{Task: t.Task}, nil
	}
	return fabricplan.Answer{Refused: fabricplan.ReasonNoneFree, Message: "none is free"}, nil
}

// Detach gives a device back at once.
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
	f.detached[a.Key]++
	d.Device = fabricplan.Device{ID: d.ID, Model: d.Model}
	return nil
}

func (f *Fabric) settle() {
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

// Take has another cluster take a device that is free.
func (f *Fabric) Take(id string) { f.with(id, func(d *device) { d.other = true }) }

// Kill lets a device die.
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

// Count is how many devices were attached, and how many of these were detached again.
func (f *Fabric) Count() (attached, detached int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, n := range f.attached {
		attached += n
	}
	for _, n := range f.detached {
		detached += n
	}
	return attached, detached
}

// Twice are the keys with which more than one device was attached or detached.
func (f *Fabric) Twice() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var keys []string
	for _, counts := range []map[string]int{f.attached, f.detached} {
		for key, n := range counts {
			if n > 1 {
				keys = append(keys, key)
			}
		}
	}
	return keys
}
