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

package clusters

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Stack selects the implementation of each component: spec.Stock, spec.Own, or empty for unchanged, which is stock in a
// new cluster.
type Stack struct {
	Scheduler spec.Provenance `json:"scheduler,omitempty"`
	// Controllers are the resource claim and device taint eviction controllers of the stock controller manager.
	Controllers spec.Provenance `json:"controllers,omitempty"`
	Kubelet     spec.Provenance `json:"kubelet,omitempty"`
	// KubeletNodes are the nodes Kubelet applies to, with or without the cluster's name as prefix, as in worker2; empty
	// means all. Other nodes stay unchanged.
	KubeletNodes []string `json:"kubeletNodes,omitempty"`
}

type part struct {
	name  string
	whose *spec.Provenance
}

func (s *Stack) parts() []part {
	return []part{{spec.Scheduler, &s.Scheduler}, {spec.Controllers, &s.Controllers}, {spec.Kubelet, &s.Kubelet}}
}

// Components returns the components with selectable implementations.
func Components() []string {
	var names []string
	for _, p := range (&Stack{}).parts() {
		names = append(names, p.name)
	}
	return names
}

// Of returns the implementation of a component.
func (s Stack) Of(component string) spec.Provenance {
	for _, p := range s.parts() {
		if p.name == component {
			return *p.whose
		}
	}
	return ""
}

// ParseStack reads "stock" and "own", for all components, and lists as "scheduler=own,kubelet=own:worker2".
// Components missing from a list stay empty.
func ParseStack(text string) (Stack, error) {
	var s Stack
	if whose := spec.Provenance(text); whose == spec.Stock || whose == spec.Own {
		for _, p := range s.parts() {
			*p.whose = whose
		}
		return s, nil
	}
	for item := range strings.SplitSeq(text, ",") {
		name, whose, ok := strings.Cut(item, "=")
		if !ok {
			return Stack{}, fmt.Errorf("stack: %q is neither stock, own nor a list as in scheduler=own,kubelet=own", text)
		}
		if err := s.Set(name, whose); err != nil {
			return Stack{}, err
		}
	}
	return s, s.Validate()
}

// Set parses the implementation of one component: "stock" or "own", for kubelets also with nodes as in
// "own:worker:worker2". Validate checks the rest.
func (s *Stack) Set(component, text string) error {
	whose, nodes, limited := strings.Cut(text, ":")
	for _, p := range s.parts() {
		if p.name != component {
			continue
		}
		*p.whose = spec.Provenance(whose)
		if p.whose != &s.Kubelet {
			*p.whose = spec.Provenance(text)
		} else if s.KubeletNodes = nil; limited {
			s.KubeletNodes = strings.Split(nodes, ":")
		}
		return nil
	}
	return fmt.Errorf("stack: no component %q can be chosen, known are %v", component, Components())
}

// Validate returns all problems at once.
func (s Stack) Validate() error {
	var errs []error
	for _, p := range s.parts() {
		if whose := *p.whose; whose != "" && whose != spec.Stock && whose != spec.Own {
			errs = append(errs, fmt.Errorf("stack: %s: %q is neither %s nor %s", p.name, whose, spec.Stock, spec.Own))
		}
	}
	for _, node := range s.KubeletNodes {
		for _, problem := range validation.IsDNS1123Subdomain(node) {
			errs = append(errs, fmt.Errorf("stack: kubelet: node %q: %s", node, problem))
		}
	}
	if len(s.KubeletNodes) > 0 && s.Kubelet == "" {
		errs = append(errs, errors.New("stack: kubeletNodes: says nothing without kubelet"))
	}
	return errors.Join(errs...)
}

// IsZero reports whether nothing is chosen.
func (s Stack) IsZero() bool {
	return s.Scheduler == "" && s.Controllers == "" && s.Kubelet == "" && len(s.KubeletNodes) == 0
}

// Over returns the stack with empty components taken from below.
func (s Stack) Over(below Stack) Stack {
	if s.Kubelet == "" && len(s.KubeletNodes) > 0 {
		below.Kubelet = "" // Validate reports the problem
	} else if s.Kubelet == "" {
		s.KubeletNodes = below.KubeletNodes
	}
	from := below.parts()
	for i, p := range s.parts() {
		if *p.whose == "" {
			*p.whose = *from[i].whose
		}
	}
	return s
}

// AllStock is the stack of an unmodified cluster.
func AllStock() Stack {
	s, _ := ParseStack(string(spec.Stock))
	return s
}

// HasOwn reports whether any component is this project's.
func (s Stack) HasOwn() bool {
	return slices.ContainsFunc(s.parts(), func(p part) bool { return *p.whose == spec.Own })
}

// String is "stock", "own", the non-stock components as in "scheduler=own,kubelet=own:worker2", or empty if nothing
// is known.
func (s Stack) String() string {
	var other []string
	known, own := false, len(s.KubeletNodes) == 0
	for _, p := range s.parts() {
		known = known || *p.whose != ""
		own = own && *p.whose == spec.Own
		if *p.whose == "" || *p.whose == spec.Stock {
			continue
		}
		text := p.name + "=" + string(*p.whose)
		if p.whose == &s.Kubelet && len(s.KubeletNodes) > 0 {
			text += ":" + strings.Join(s.KubeletNodes, ":")
		}
		other = append(other, text)
	}
	switch {
	case own:
		return string(spec.Own)
	case known && len(other) == 0:
		return string(spec.Stock)
	default:
		return strings.Join(other, ",")
	}
}
