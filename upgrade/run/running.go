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

package run

import (
	"slices"
	"strings"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/upgrade/path"
)

// running is the target with a state's software instead of the initial one: known issues depend on the running
// components.
func running(target spec.Target, state path.State) spec.Target {
	target.Components, target.Running, target.Nodes = map[string]string{}, nil, slices.Clone(target.Nodes)
	for place, software := range state.Software {
		version, mark := software.Version.String(), ""
		c := spec.Component{
			Program: string(place.Component), Node: place.Node, Whose: spec.Stock, Basis: spec.Claimed, Version: version,
			Why: "its digest is not looked at during an upgrade",
		}
		if software.Own {
			c.Whose, mark = spec.Own, spec.OwnKubeletMark
		}
		switch place.Component {
		case path.APIServer:
			target.Kubernetes = version
		case path.Scheduler:
			c.Name = spec.Scheduler
		case path.ControllerManager:
			c.Name = spec.Controllers
		case path.Kubelet:
			c.Name = spec.Kubelet
			for i := range target.Nodes {
				if target.Nodes[i].Name == place.Node {
					target.Nodes[i].Kubelet = version + mark
				}
			}
		}
		if c.Name != "" {
			target.Running = append(target.Running, c)
		}
		if place.Component != path.Kubelet {
			target.Components[string(place.Component)] = version
		}
	}
	slices.SortFunc(target.Running, func(a, b spec.Component) int { return strings.Compare(a.Name+"/"+a.Node, b.Name+"/"+b.Node) })
	target.Stack = spec.StackOf(target.Running)
	return target
}
