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

	"k8s.io/apimachinery/pkg/util/version"

	"github.com/dra-conformance/dratest/framework/spec"
)

// WithBasis sets the provenance of each running component, from the digests of local builds and the names of
// components declared by the user as Kubernetes' own. It may be called again with more digests.
//
// The user's declaration counts only for components of otherwise unknown provenance. It does not apply to this
// project's components, which identify themselves.
func WithBasis(target spec.Target, built spec.Digests, assumed []string) spec.Target {
	running, names := slices.Clone(target.Running), make([]string, 0, len(assumed))
	for _, value := range assumed {
		names = append(names, spec.Assumable()[value])
	}
	for i := range running {
		running[i] = withBasis(running[i], built, slices.Contains(names, running[i].Name))
	}
	for _, name := range names {
		if len(target.ComponentsOf(name)) == 0 {
			program := name
			if name == spec.APIServer {
				program = "kube-apiserver"
			}
			if name == spec.Scheduler {
				target = withDefaults(target)
			}
			running = append(running, spec.Component{
				Name: name, Program: program, Whose: spec.Stock, Basis: spec.Declared, Version: target.Kubernetes,
				Why: "it cannot be seen, and counts as one of the API server's version",
			})
		}
	}
	target.Running, target.Stack = running, spec.StackOf(running)
	return target
}

// withDefaults gives an unseen scheduler the default gates of the API server's release.
func withDefaults(target spec.Target) spec.Target {
	if v, err := version.ParseGeneric(target.Kubernetes); err == nil && v.Major() == 1 {
		target.SchedulerGates, target.SchedulerGatesUnseen = spec.SchedulerDefaults(v.Minor()), ""
	}
	return target
}

func withBasis(c spec.Component, built spec.Digests, assumed bool) spec.Component {
	ours := built[spec.Artifact{Program: c.Program, Version: c.Version}]
	proven := c.Digest != "" && slices.Contains(ours, c.Digest)
	switch {
	case c.Whose == spec.Own:
		c.Basis, c.Why = spec.Claimed, ""
	case assumed && c.Whose == spec.Other, assumed && !proven:
		c.Whose, c.Basis = spec.Stock, spec.Declared
	case c.Whose == spec.Other && c.Basis != spec.Claimed:
		c.Basis = ""
	case c.Whose == spec.Other:
	case proven:
		c.Basis, c.Why = spec.Proven, ""
	case c.Digest == "":
		c.Basis, c.Why = spec.Claimed, "its digest was not seen"
	case len(ours) == 0:
		c.Basis, c.Why = spec.Claimed, fmt.Sprintf("this machine has built no %s to compare its digest with", c)
	default:
		c.Basis, c.Why = spec.Claimed, fmt.Sprintf("its digest differs from the %s built on this machine", c)
	}
	return c
}
