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

package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Excuse says whether a known issue is to be expected with the running components.
type Excuse struct {
	// Not is why the issue excuses nothing; empty if it does.
	Not string
	// Unreviewed is why it must be reviewed for the running version before it excuses anything; empty for most.
	Unreviewed string
	// Who are the affected components, as "kube-scheduler v1.37.1".
	Who string
	// Basis is the evidence that they are Kubernetes' own; the weakest if several.
	Basis spec.Basis
	// Why says why they are not proven to be.
	Why string
}

// ExcuseFor evaluates a known issue for the target's components used by a case on these nodes. All replicas of a
// component count, as any of them may have acted. A component that cannot be seen is never excused.
func ExcuseFor(issue spec.KnownIssue, target spec.Target, nodes []string) Excuse {
	running, not := Upstream(issue.Component, target, nodes)
	if not != "" {
		return Excuse{Not: not}
	}
	excuse := Excuse{Basis: spec.Proven}
	var who []string
	for _, c := range running {
		not, unreviewed, err := issue.Standing(c.Version)
		switch {
		case err != nil:
			return Excuse{Not: fmt.Sprintf("the version %q of %s cannot be parsed", c.Version, located(c))}
		case not != "":
			return Excuse{Not: fmt.Sprintf("%s is %s, and %s", located(c), c.Version, not)}
		case unreviewed != "" && excuse.Unreviewed == "":
			excuse.Unreviewed = fmt.Sprintf("%s is %s, and %s", located(c), c.Version, unreviewed)
		}
		if weaker(c.Basis, excuse.Basis) {
			excuse.Basis, excuse.Why = c.Basis, c.Why
		}
		if !slices.Contains(who, c.String()) {
			who = append(who, c.String())
		}
	}
	excuse.Who = strings.Join(who, ", ")
	return excuse
}

// Upstream returns the target's components of this name used by a case on these nodes, at least one, or why not all of
// them count as Kubernetes' own.
func Upstream(component string, target spec.Target, nodes []string) (running []spec.Component, not string) {
	running = target.ComponentsOf(component)
	if component == spec.APIServer {
		running = []spec.Component{apiServer(target, running)}
	}
	if component == spec.Kubelet {
		running = slices.DeleteFunc(running, func(c spec.Component) bool { return !slices.Contains(nodes, c.Node) })
		for _, node := range nodes {
			if !slices.ContainsFunc(running, func(c spec.Component) bool { return c.Node == node }) {
				return nil, fmt.Sprintf("the kubelet of %s cannot be seen", node)
			}
		}
	}
	if len(running) == 0 {
		return nil, fmt.Sprintf("the %s cannot be seen; --assume-stock=%s declares that it is Kubernetes' own", component, flagValue(component))
	}
	if not := disagree(component, running); not != "" {
		return nil, not
	}
	for _, c := range running {
		switch {
		case c.Whose == spec.Own:
			return nil, located(c) + " is this project's"
		case c.Whose != spec.Stock && c.Basis != spec.Claimed:
			return nil, fmt.Sprintf("%s is not Kubernetes' own: %s; --assume-stock=%s declares that it is", located(c), c.Why, flagValue(c.Name))
		}
	}
	return running, ""
}

// located names a component, with its node.
func located(c spec.Component) string {
	if c.Node != "" {
		return fmt.Sprintf("the %s of %s", c.Program, c.Node)
	}
	return c.Program
}

// apiServer returns the API server as the user declared it, or as its version says.
func apiServer(target spec.Target, declared []spec.Component) spec.Component {
	if len(declared) > 0 {
		return declared[0]
	}
	c := spec.Component{Name: spec.APIServer, Program: "kube-apiserver", Version: target.Kubernetes, Basis: spec.Claimed, Why: "only its version says so"}
	return c.Judge()
}

// disagree returns how the replicas of a component differ: then the one that acted is unknown. Kubelets are no
// replicas, and proven digests may differ by architecture.
func disagree(name string, running []spec.Component) string {
	if name == spec.Kubelet {
		return ""
	}
	first := running[0]
	for _, c := range running[1:] {
		alike := c.Basis == spec.Proven && first.Basis == spec.Proven || c.Digest == first.Digest
		if c.Whose != first.Whose || c.Version != first.Version || !alike {
			return fmt.Sprintf("its replicas differ: %s on %s, %s on %s", describe(first), first.Node, describe(c), c.Node)
		}
	}
	return ""
}

func describe(c spec.Component) string {
	return strings.TrimSpace(fmt.Sprintf("%s %s (%s) %s", c.Whose, c, c.Basis, c.Digest))
}

func weaker(a, b spec.Basis) bool {
	strength := map[spec.Basis]int{spec.Proven: 3, spec.Declared: 2, spec.Claimed: 1} // none is the weakest
	return strength[a] < strength[b]
}

// flagValue returns the value of --assume-stock for a component.
func flagValue(component string) string {
	for value, name := range spec.Assumable() {
		if name == component {
			return value
		}
	}
	return component
}
