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

package spec

import (
	"fmt"
	"slices"
	"strings"
)

// ServedAPIs are the API versions required in addition to resource.k8s.io/v1, with their groups.
func (n Needs) ServedAPIs() []string {
	all := each("resource.k8s.io/%s", n.APIs)
	if n.PodGroups {
		all = append(all, "scheduling.k8s.io/v1beta1")
	}
	return all
}

func missingAPI(n Needs, t Target) *Skip {
	for _, v := range n.APIs {
		if !slices.Contains(t.ResourceAPIs, v) {
			return &Skip{SkipAPI, fmt.Sprintf("needs resource.k8s.io/%s, the cluster serves %s", v, strings.Join(t.ResourceAPIs, ", "))}
		}
	}
	return nil
}

func missingRestart(n Needs, t Target) *Skip {
	switch {
	case !t.Restartable:
		return &Skip{SkipDisruption, "restarts a whole node of the cluster: allow it with --restart-nodes"}
	case n.Restarts == ControlPlane && t.ControlPlane() == "":
		return &Skip{SkipNodes, "restarts a node of the control plane, the cluster shows none"}
	default:
		return nil
	}
}

func restartProblems(m Meta) []string {
	var problems []string
	if kind := m.Needs.Restarts; kind != Worker && kind != ControlPlane {
		problems = append(problems, fmt.Sprintf("needs.restarts must be %q, %q or empty", Worker, ControlPlane))
	}
	if m.SerialBecause == "" {
		problems = append(problems, "serialBecause must say that a node is restarted")
	}
	return problems
}

func missingNodes(n Needs, t Target) *Skip {
	if t.DriverUnderTest != nil {
		have := len(t.DriverUnderTest.ClassFor(n.DriverFeatures).Nodes)
		return unless(have >= n.LeastNodes(), SkipNodes, "needs %d node(s) with driver %s, there are %d", n.LeastNodes(), t.DriverUnderTest.Driver, have)
	}
	have, simulated := len(t.NodesFor(n)), ""
	if other := t.Simulated(); other > 0 && !n.NoKubelet {
		simulated = fmt.Sprintf(" beside %d simulated one(s) without containers", other)
	}
	return unless(have >= n.LeastNodes(), SkipNodes, "needs %d schedulable Linux node(s), the cluster has %d%s", n.LeastNodes(), have, simulated)
}

// nodeDescriptions omits the one node needed by most cases.
func nodeDescriptions(n Needs) []string {
	var all []string
	if n.NoNode {
		all = append(all, "no node")
	}
	if n.NoKubelet {
		all = append(all, "no kubelet")
	}
	if n.Nodes > 1 {
		all = append(all, fmt.Sprintf("%d nodes", n.Nodes))
	}
	return all
}

func nodeProblems(m Meta) []string {
	var problems []string
	n, driver := m.Needs, len(m.Needs.Profile.Pools) > 0
	if n.Nodes < 0 {
		problems = append(problems, "needs.nodes must not be negative")
	}
	if n.NoNode && (n.Nodes > 0 || driver || n.Disruption) {
		problems = append(problems, "needs.noNode must not be set where nodes, a driver or a restart of components is needed")
	}
	if n.NoKubelet && (n.NoNode || driver || n.Disruption || n.Restarts != "") {
		problems = append(problems, "needs.noKubelet must not be set where there is no node, or a driver or a restart of components is needed")
	}
	return problems
}

func missingMetrics(n Needs, t Target) *Skip {
	for _, component := range n.Metrics {
		if _, seen := t.Components[component]; !seen {
			return &Skip{SkipMetrics, fmt.Sprintf("reads the metrics of %s, and no pod of it is visible", component)}
		}
	}
	return nil
}

func missingBindingTimeout(n Needs, t Target) *Skip {
	have := "which cannot be seen (10 minutes by default; clusters that dratest makes have a short one)"
	if t.BindingTimeout > 0 {
		have = fmt.Sprintf("which is %s", t.BindingTimeout)
	}
	return unless(0 < t.BindingTimeout && t.BindingTimeout <= n.BindingTimeout, SkipBindingTimeout,
		"needs a scheduler with a bindingTimeout of at most %s, %s", n.BindingTimeout, have)
}
