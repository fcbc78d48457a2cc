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
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

// Rule determines the result of requests. Empty fields match all; the first matching rule applies.
type Rule struct {
	Operation Operation `json:"operation,omitempty"`
	Cluster   string    `json:"cluster,omitempty"`
	Model     string    `json:"model,omitempty"`
	Node      string    `json:"node,omitempty"`
	// Times is the number of requests the rule applies to; 0 is unlimited.
	Times int `json:"times,omitempty"`
	// Takes is how long the task runs.
	Takes metav1.Duration `json:"takes,omitzero"`
	// Refuse rejects the request with this text, Fail makes its task fail with it.
	Refuse string `json:"refuse,omitempty"`
	Fail   string `json:"fail,omitempty"`
	// Lose performs the request, but closes the connection instead of answering.
	Lose bool `json:"lose,omitempty"`
}

// Validate returns all problems at once.
func (r Rule) Validate() error {
	var problems []string
	if r.Operation != "" && r.Operation != Attach && r.Operation != Detach {
		problems = append(problems, fmt.Sprintf("operation %q is neither %s nor %s", r.Operation, Attach, Detach))
	}
	if r.Times < 0 || r.Takes.Duration < 0 || r.Takes.Duration > time.Hour {
		problems = append(problems, "times must not be negative, takes must be between 0 and 1h")
	}
	if r.Refuse != "" && r.Fail != "" {
		problems = append(problems, "refuse and fail exclude each other")
	}
	if len(problems) > 0 {
		return fmt.Errorf("%w: rule: %s", ErrInvalid, strings.Join(problems, "; "))
	}
	return nil
}

// SetScript replaces the rules, if all are valid. Running tasks are not affected.
func (s *State) SetScript(rules []Rule) error {
	var problems []error
	for i, r := range rules {
		if err := r.Validate(); err != nil {
			problems = append(problems, fmt.Errorf("script[%d]: %w", i, err))
		}
	}
	if err := errors.Join(problems...); err != nil {
		return err
	}
	s.Script = rules
	return nil
}

// rule returns the rule for a request and counts its use. Without one everything succeeds at once.
func (s *State) rule(o Operation, cluster, model, node string) Rule {
	selects := func(want, is string) bool { return want == "" || want == is }
	for i := range s.Script {
		r := s.Script[i]
		if !selects(string(r.Operation), string(o)) || !selects(r.Cluster, cluster) || !selects(r.Model, model) || !selects(r.Node, node) {
			continue
		}
		if r.Times > 0 {
			if s.Script[i].Times--; s.Script[i].Times == 0 {
				s.Script = append(s.Script[:i:i], s.Script[i+1:]...)
			}
		}
		return r
	}
	return Rule{}
}

// lost reports, once, whether to lose the response with a new task.
func (s *State) lost(task string) bool {
	w := s.Tasks[task]
	if w == nil || !w.Lose {
		return false
	}
	w.Lose = false
	return true
}

// AddDevices adds devices of an existing or new model.
func (s *State) AddDevices(model string, attributes map[string]string, ids ...string) error {
	for _, id := range append([]string{model}, ids...) {
		if msgs := validation.IsDNS1123Label(id); len(msgs) > 0 {
			return fmt.Errorf("%w: name %q: %s", ErrInvalid, id, strings.Join(msgs, ", "))
		}
	}
	if err := checkAttributes(attributes); err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	for _, id := range ids {
		if s.Devices[id] != nil {
			return fmt.Errorf("%w: there is a device %q already", ErrInvalid, id)
		}
	}
	s.Revision++
	if known, ok := s.Models[model]; !ok || len(attributes) > 0 {
		known.Attributes = attributes
		s.Models[model] = known
	}
	for _, id := range ids {
		s.Devices[id] = &Holder{Device: Device{ID: id, Model: model, Phase: Free}}
	}
	return nil
}

// checkAttributes rejects attributes invalid in a slice: names are C identifiers, values have at most 64 characters
// (resource.k8s.io/v1, DeviceAttribute), and the model's name must not be repeated.
func checkAttributes(attributes map[string]string) error {
	var problems []string
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		for _, text := range validation.IsCIdentifier(name) {
			problems = append(problems, fmt.Sprintf("%q: %s", name, text))
		}
		if len(name) > resourceapi.DeviceMaxIDLength || len(attributes[name]) > resourceapi.DeviceAttributeMaxValueLength {
			problems = append(problems, fmt.Sprintf("%q: may have %d characters, its value %d", name, resourceapi.DeviceMaxIDLength, resourceapi.DeviceAttributeMaxValueLength))
		}
		if name == "model" {
			problems = append(problems, `"model": is the model's name`)
		}
	}
	if len(problems) > 0 {
		return fmt.Errorf("attributes: %s", strings.Join(problems, "; "))
	}
	return nil
}

// Kill lets a device die, wherever it is.
func (s *State) Kill(id string, now time.Time) error {
	s.Settle(now)
	d := s.Devices[id]
	if d == nil {
		return fmt.Errorf("%w: device %q", ErrNotFound, id)
	}
	s.Revision++
	d.Phase = Dead
	return nil
}

// Remove lets a device vanish, wherever it is.
func (s *State) Remove(id string, now time.Time) error {
	s.Settle(now)
	if s.Devices[id] == nil {
		return fmt.Errorf("%w: device %q", ErrNotFound, id)
	}
	s.Revision++
	delete(s.Devices, id)
	return nil
}
