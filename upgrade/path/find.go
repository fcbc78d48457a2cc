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

package path

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Request says from where to where.
type Request struct {
	From, To Version
	// Known are the runnable versions. A ladder uses the newest of each minor version between From and To.
	Known []Version
	// ControlPlanes and Workers are the names of the nodes, at least one of the former; kubelets run on all of them.
	ControlPlanes, Workers []string
	// Back leads back to From.
	Back bool
	// KubeletsLast upgrades the kubelets after the control plane is at To, and on the path back takes them to From
	// first. Otherwise they follow at each minor version.
	KubeletsLast bool
	// Drain evicts the pods of a node before its kubelet changes its version.
	Drain bool
	// Stay limits the versions of some nodes' kubelets: the cells of a skew.
	Stay map[string]Version
	// Own are the places to switch, in order, to this project's component once the path has reached To.
	// ControllerManager stands for the controllers then running beside it.
	Own []Place
	// MadeWith are the initial feature gates of all components.
	MadeWith map[spec.Feature]bool
	// Gates are switched in order, on all components with the gate, before the versions change.
	Gates []Switch
}

// String is one line, as "Kubernetes v1.36.4 to v1.37.1 and back".
func (r Request) String() string {
	text := "Kubernetes " + r.From.String()
	for _, gate := range slices.Sorted(maps.Keys(r.MadeWith)) {
		text += fmt.Sprintf(" with %s %s", gate, onOff(r.MadeWith[gate]))
	}
	for _, s := range r.Gates {
		text += fmt.Sprintf(", %s %s", s.Gate, onOff(s.On))
	}
	if r.To != r.From {
		text += " to " + r.To.String()
	}
	if len(r.Own) > 0 {
		text += " and to own components"
	}
	if r.Drain {
		text += " with drained nodes"
	}
	if r.Back {
		text += " and back"
	}
	return text
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// Switch turns a feature gate on or off.
type Switch struct {
	Gate spec.Feature `json:"gate"`
	On   bool         `json:"on"`
}

// Step is one change at one place: of its software, or of a gate if set.
type Step struct {
	Place Place    `json:"place"`
	From  Software `json:"from"`
	To    Software `json:"to"`
	// Drain: the node's pods are evicted first.
	Drain bool `json:"drain,omitempty"`
	// Gate is switched On, or off; the software stays unchanged.
	Gate spec.Feature `json:"gate,omitempty"`
	On   bool         `json:"on,omitempty"`
	// Others is set if another tool made the step. Found lists the visible changes; any component may have restarted.
	Others bool   `json:"others,omitempty"`
	Found  string `json:"found,omitempty"`
}

// Changes reports whether the step changes a component, as far as known.
func (s Step) Changes(c Component) bool { return s.Others || s.Place.Component == c }

// ChangesAt reports whether the step changes the component at a place, as far as known.
func (s Step) ChangesAt(p Place) bool { return s.Others || s.Place == p }

// String is "kubelet on node-1: v1.36.4 to v1.37.1".
func (s Step) String() string {
	if s.Others {
		return cmp.Or(s.Found, "no version changed")
	}
	if s.Gate == "" {
		text := fmt.Sprintf("%s: %s to %s", s.Place, s.From, s.To)
		if s.Drain {
			text += " after a drain"
		}
		return text
	}
	return fmt.Sprintf("%s: %s %s", s.Place, s.Gate, onOff(s.On))
}

// Path leads from one state to another.
type Path struct {
	Start State
	Steps []Step
}

// States returns the state before the first step and those after each.
func (p Path) States() []State {
	states := []State{p.Start}
	for _, step := range p.Steps {
		states = append(states, states[len(states)-1].After(step))
	}
	return states
}

// Find returns the steps of a request. Each state on the path satisfies the rules; otherwise Find returns a
// *RefusalError. An invalid request is reported with all its problems.
func Find(r Request) (Path, error) {
	if err := r.validate(); err != nil {
		return Path{}, err
	}
	rungs, err := r.ladder()
	if err != nil {
		return Path{}, err
	}
	b := &builder{request: r, path: Path{Start: r.start()}}
	b.state = b.path.Start
	if refusal := check(b.state); refusal != nil {
		return Path{}, refusal
	}
	for _, s := range r.Gates {
		b.gate(s)
	}
	b.climb(rungs, false)
	b.own(true)
	if r.Back {
		b.own(false)
		slices.Reverse(rungs)
		b.climb(rungs, true)
	}
	if b.refusal != nil {
		return Path{}, b.refusal
	}
	return b.path, nil
}

func (r Request) nodes() []string { return slices.Concat(r.ControlPlanes, r.Workers) }

func (r Request) validate() error {
	var errs []error
	if len(r.ControlPlanes) == 0 {
		errs = append(errs, errors.New("there is no control plane node"))
	}
	seen := map[string]bool{}
	for _, node := range r.nodes() {
		if node == "" || seen[node] {
			errs = append(errs, fmt.Errorf("node name %q is empty or there twice", node))
		}
		seen[node] = true
	}
	for _, v := range []Version{r.From, r.To} {
		if !slices.Contains(r.Known, v) {
			errs = append(errs, fmt.Errorf("version %s cannot be run: known are %v", v, r.Known))
		}
	}
	for node, v := range r.Stay {
		if !seen[node] {
			errs = append(errs, fmt.Errorf("there is no node %q to keep a kubelet of version %s", node, v))
		}
		if !slices.Contains(r.Known, v) {
			errs = append(errs, fmt.Errorf("kubelet version %s for %s is unknown: known are %v", v, node, r.Known))
		}
	}
	if r.From == r.To && len(r.Gates)+len(r.Own) == 0 {
		errs = append(errs, fmt.Errorf("there is nothing to do: it goes from %s to %s, no gate is switched, and no component becomes this project's", r.From, r.To))
	}
	return errors.Join(append(errs, r.validateOwn())...)
}

func (r Request) validateOwn() error {
	var errs []error
	if len(r.Own) > 0 && len(r.Gates)+len(r.MadeWith) > 0 {
		errs = append(errs, errors.New("feature gates are switched on Kubernetes' own components only"))
	}
	for _, p := range r.Own {
		if p.Component != Scheduler && p.Component != ControllerManager && p.Component != Kubelet {
			errs = append(errs, fmt.Errorf("this project has no %s", p.Component))
		}
		if !slices.Contains(r.nodes(), p.Node) {
			errs = append(errs, fmt.Errorf("there is no node %q with a replaceable %s", p.Node, p.Component))
		}
		if stay, ok := r.Stay[p.Node]; ok && p.Component == Kubelet && stay != r.To {
			errs = append(errs, fmt.Errorf("the kubelet of %s stays at %s, this project's would be of %s", p.Node, stay, r.To))
		}
	}
	return errors.Join(errs...)
}

// ladder returns the versions from From to To, one minor version apart.
func (r Request) ladder() ([]Version, error) {
	if r.From == r.To {
		return []Version{r.From}, nil
	}
	rungs := []Version{r.From}
	direction := 1
	if r.To.Compare(r.From) < 0 {
		direction = -1
	}
	for n := r.From.behind(r.To) * direction; n > 1; n-- {
		minor := uint(int(rungs[len(rungs)-1].Minor) + direction) //nolint:gosec // minors are small
		var newest Version
		for _, v := range r.Known {
			if v.Minor == minor && v.Compare(newest) > 0 {
				newest = v
			}
		}
		if newest == (Version{}) {
			return nil, refuse(ServerInSteps, "the path from %s to %s needs v1.%d, and no version of it is known", r.From, r.To, minor)
		}
		rungs = append(rungs, newest)
	}
	return append(rungs, r.To), nil
}

// start is the state of a new cluster of version From.
func (r Request) start() State {
	s := State{Software: map[Place]Software{{Proxy, ""}: {Version: r.From}}}
	for _, node := range r.ControlPlanes {
		for _, c := range []Component{APIServer, ControllerManager, Scheduler} {
			s.Software[Place{c, node}] = Software{Version: r.From}
		}
	}
	for _, node := range r.nodes() {
		s.Software[Place{Kubelet, node}] = Software{Version: r.From}
	}
	for gate, on := range r.MadeWith {
		for _, c := range switched {
			for _, p := range s.places(c) {
				s.set(GateAt{gate, p}, on)
			}
		}
	}
	return s
}

// kubelet is the software of a node's kubelet with the path at v.
func (r Request) kubelet(node string, v Version) Software {
	if stay, ok := r.Stay[node]; ok && (v.Compare(stay) > 0 || v == r.To && v.Compare(stay) == 0) {
		v = stay // also another build of To's version
	}
	return Software{Version: v}
}
