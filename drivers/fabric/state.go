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
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"
)

// State is the state of a fabric. It changes only in methods with a time, which must not go back. It is not safe for
// concurrent use.
type State struct {
	Revision int64              `json:"revision"`
	Models   map[string]Kind    `json:"models"`
	Devices  map[string]*Holder `json:"devices"`
	Tasks    map[string]*Work   `json:"tasks"`
	// Keys are all keys ever used, each with its task.
	Keys   map[string]string `json:"keys"`
	Script []Rule            `json:"script,omitempty"`
	Next   int64             `json:"next"`
}

// Kind has the common properties of a model's devices.
type Kind struct {
	Attributes map[string]string `json:"attributes,omitempty"`
}

// Holder is a device and its owner.
type Holder struct {
	Device
	Cluster string `json:"cluster,omitempty"`
}

// Work is a task with its owner and result.
type Work struct {
	Task
	Cluster string `json:"cluster"`
	Fails   string `json:"fails,omitempty"`
	// Lose: the answer to the request gets lost.
	Lose bool `json:"lose,omitempty"`
}

// NewState is a fabric without devices.
func NewState() *State {
	return &State{Models: map[string]Kind{}, Devices: map[string]*Holder{}, Tasks: map[string]*Work{}, Keys: map[string]string{}}
}

// whole reports whether a decoded state has all its parts: JSON may have null instead.
func (s *State) whole() bool {
	for _, d := range s.Devices {
		if d == nil {
			return false
		}
	}
	for _, w := range s.Tasks {
		if w == nil {
			return false
		}
	}
	return s.Models != nil && s.Devices != nil && s.Tasks != nil && s.Keys != nil
}

// Remembered is how long a task can be queried after its end. Tasks of attached devices are kept longer.
const Remembered = 10 * time.Minute

// Settle completes due tasks and forgets old ones.
func (s *State) Settle(now time.Time) {
	for id, w := range s.Tasks {
		switch d := s.Devices[w.Device]; {
		case w.Phase == Running && !w.Ends.After(now):
			s.end(w)
		case w.Phase != Running && w.Ends.Add(Remembered).Before(now) && (d == nil || d.Key != w.Key || w.Operation != Attach):
			delete(s.Tasks, id)
		}
	}
}

func (s *State) end(w *Work) {
	s.Revision++
	w.Phase = Succeeded
	if w.Fails != "" {
		w.Phase, w.Error = Failed, w.Fails
	}
	d := s.Devices[w.Device]
	switch {
	case d == nil || d.Key != w.Key: // possibly another device of that name
		w.Phase, w.Error = Failed, "the device vanished"
	case w.Operation == Attach && d.Phase == Dead:
		w.Phase, w.Error = Failed, "the device died"
	case w.Operation == Attach && w.Phase == Failed, w.Operation == Detach && w.Phase == Succeeded:
		phase := Free
		if d.Phase == Dead {
			phase = Dead
		}
		d.Device, d.Cluster = Device{ID: d.ID, Model: d.Model, Phase: phase}, ""
	case d.Phase != Dead:
		d.Phase = Attached
	}
}

// Attach begins to attach a cluster's free device, the first one by ID. The error is one of ErrInvalid, ErrNotFound,
// ErrKeyUsed, ErrNoneFree and ErrRefused.
func (s *State) Attach(cluster string, r AttachRequest, now time.Time) (Task, error) {
	s.Settle(now)
	if r.Key == "" || r.Model == "" || r.Node == "" {
		return Task{}, fmt.Errorf("%w: key, model and node must be given", ErrInvalid)
	}
	if id, used := s.Keys[r.Key]; used {
		return s.again(cluster, id, r)
	}
	if _, known := s.Models[r.Model]; !known {
		return Task{}, fmt.Errorf("%w: model %q", ErrNotFound, r.Model)
	}
	rule := s.rule(Attach, cluster, r.Model, r.Node)
	if rule.Refuse != "" {
		return Task{}, fmt.Errorf("%w: %s", ErrRefused, rule.Refuse)
	}
	for _, id := range slices.Sorted(maps.Keys(s.Devices)) {
		d := s.Devices[id]
		if d.Model != r.Model || d.Phase != Free {
			continue
		}
		d.Phase, d.Node, d.Key, d.Cluster = Attaching, r.Node, r.Key, cluster
		w := s.start(Attach, d, rule, now)
		s.Keys[r.Key] = w.ID
		return w.Task, nil
	}
	return Task{}, fmt.Errorf("%w: %s", ErrNoneFree, r.Model)
}

func (s *State) again(cluster, id string, r AttachRequest) (Task, error) {
	w := s.Tasks[id]
	if w == nil || w.Cluster != cluster || w.Model != r.Model || w.Node != r.Node {
		return Task{}, fmt.Errorf("%w: %s is of another request", ErrKeyUsed, r.Key)
	}
	if d := s.Devices[w.Device]; w.Phase == Succeeded && (d == nil || d.Key != r.Key) {
		return Task{}, fmt.Errorf("%w: the device of %s was detached", ErrKeyUsed, r.Key)
	}
	return w.Task, nil
}

// Detach begins to detach a device, or returns its progress. The error is one of ErrNotFound, ErrNotAttached and
// ErrRefused.
func (s *State) Detach(cluster string, r DetachRequest, now time.Time) (Task, error) {
	s.Settle(now)
	d := s.Devices[r.Device]
	if d == nil || d.Cluster != cluster {
		return Task{}, fmt.Errorf("%w: device %q", ErrNotFound, r.Device)
	}
	if r.Key != "" && r.Key != d.Key {
		return Task{}, fmt.Errorf("%w: %s is attached with another key", ErrNotFound, r.Device)
	}
	if w := s.under(d.ID); w != nil {
		if w.Operation == Detach {
			return w.Task, nil
		}
		return Task{}, fmt.Errorf("%w: %s is being attached", ErrNotAttached, d.ID)
	}
	rule := s.rule(Detach, cluster, d.Model, d.Node)
	if rule.Refuse != "" {
		return Task{}, fmt.Errorf("%w: %s", ErrRefused, rule.Refuse)
	}
	if d.Phase != Dead {
		d.Phase = Detaching
	}
	return s.start(Detach, d, rule, now).Task, nil
}

// under returns the running task of a device, or nil.
func (s *State) under(device string) *Work {
	for _, w := range s.Tasks {
		if w.Device == device && w.Phase == Running {
			return w
		}
	}
	return nil
}

func (s *State) start(o Operation, d *Holder, rule Rule, now time.Time) *Work {
	s.Next++
	s.Revision++
	w := &Work{
		Task: Task{
			ID: "task-" + strconv.FormatInt(s.Next, 10), Operation: o, Phase: Running,
			Device: d.ID, Model: d.Model, Node: d.Node, Key: d.Key, Ends: now.Add(rule.Takes.Duration),
		},
		Cluster: d.Cluster, Fails: rule.Fail, Lose: rule.Lose,
	}
	s.Tasks[w.ID] = w
	return w
}

// Task returns the progress of a cluster's task.
func (s *State) Task(cluster, id string, now time.Time) (Task, error) {
	s.Settle(now)
	w := s.Tasks[id]
	if w == nil || w.Cluster != cluster {
		return Task{}, fmt.Errorf("%w: task %q", ErrNotFound, id)
	}
	return w.Task, nil
}

// Inventory returns everything visible to a cluster.
func (s *State) Inventory(cluster string, now time.Time) Inventory {
	s.Settle(now)
	free := map[string]int{}
	out := Inventory{Revision: s.Revision, Models: []Model{}, Devices: []Device{}}
	for _, id := range slices.Sorted(maps.Keys(s.Devices)) {
		d := s.Devices[id]
		if d.Phase == Free {
			free[d.Model]++
		}
		if d.Cluster == cluster && cluster != "" {
			out.Devices = append(out.Devices, d.Device)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Models)) {
		out.Models = append(out.Models, Model{Name: name, Free: free[name], Attributes: s.Models[name].Attributes})
	}
	return out
}
