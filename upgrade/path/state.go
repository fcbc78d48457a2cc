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
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Component is the component changed by a step.
type Component string

// The components with a version of their own. etcd has no steps: all node images have the same build, newer than each
// version requires, and an etcd older than its data could not be started.
const (
	APIServer         Component = "kube-apiserver"
	ControllerManager Component = "kube-controller-manager"
	Scheduler         Component = "kube-scheduler"
	Proxy             Component = "kube-proxy"
	Kubelet           Component = "kubelet"
)

// order is the upgrade order of components.
//
//nolint:gochecknoglobals // a table
var order = []Component{APIServer, ControllerManager, Scheduler, Proxy, Kubelet}

// Place is where a component runs.
type Place struct {
	Component Component `json:"component"`
	// Node is empty for kube-proxy: one DaemonSet runs it on all nodes.
	Node string `json:"node,omitempty"`
}

// String is "kubelet on node-1".
func (p Place) String() string {
	if p.Node == "" {
		return string(p.Component)
	}
	return string(p.Component) + " on " + p.Node
}

func (p Place) compare(q Place) int {
	return cmp.Or(cmp.Compare(slices.Index(order, p.Component), slices.Index(order, q.Component)), strings.Compare(p.Node, q.Node))
}

// Software is the software running at a place.
type Software struct {
	Version Version `json:"version"`
	// Own is true for this project's component of that version.
	Own bool `json:"own,omitempty"`
}

// String is "v1.37.1" or "own v1.37.1".
func (s Software) String() string {
	if s.Own {
		return "own " + s.Version.String()
	}
	return s.Version.String()
}

// GateAt is a feature gate of one component.
type GateAt struct {
	Gate  spec.Feature
	Place Place
}

// State is the software in a cluster at one moment.
type State struct {
	Software map[Place]Software
	// Gates are the explicitly set gates; others have their version's default.
	Gates map[GateAt]bool
}

// After returns the state after a step.
func (s State) After(step Step) State {
	next := State{Software: maps.Clone(s.Software), Gates: maps.Clone(s.Gates)}
	if step.Gate == "" {
		next.Software[step.Place] = step.To
		return next
	}
	next.set(GateAt{step.Gate, step.Place}, step.On)
	return next
}

func (s *State) set(at GateAt, on bool) {
	if s.Gates == nil {
		s.Gates = map[GateAt]bool{}
	}
	s.Gates[at] = on
}

// places returns the places of a component, in order; all of them if it is empty.
func (s State) places(c Component) []Place {
	var found []Place
	for p := range s.Software {
		if c == "" || p.Component == c {
			found = append(found, p)
		}
	}
	slices.SortFunc(found, Place.compare)
	return found
}

// versions returns the versions of a component, oldest first; there may be none.
func (s State) versions(c Component) []Version {
	var found []Version
	for _, p := range s.places(c) {
		found = append(found, s.Software[p].Version)
	}
	slices.SortFunc(found, Version.Compare)
	return slices.Compact(found)
}

// Skew summarizes the mix of versions, as "kube-apiserver v1.37.1; kubelet v1.36.4 to v1.37.1 (1 minor behind); own
// kube-scheduler on node-1".
func (s State) Skew() string {
	servers := s.versions(APIServer)
	if len(servers) == 0 {
		return ""
	}
	newest := servers[len(servers)-1]
	var parts []string
	for _, c := range order {
		found := s.versions(c)
		if len(found) == 0 || c != APIServer && len(found) == 1 && found[0] == newest {
			continue
		}
		text := string(c) + " " + found[0].String()
		if len(found) > 1 {
			text += " to " + found[len(found)-1].String()
		}
		if n := found[0].behind(newest); n > 0 {
			text += fmt.Sprintf(" (%d minor behind)", n)
		}
		parts = append(parts, text)
	}
	for _, p := range s.places("") {
		if s.Software[p].Own {
			parts = append(parts, "own "+p.String())
		}
	}
	return strings.Join(parts, "; ")
}
