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
	"maps"
	"slices"
	"strings"
	"time"
)

// Target is what a probe found: everything that the plan and the reports need
// to know about a cluster.
type Target struct {
	// Server is the address of the API server.
	Server string `json:"server"`
	// Kubernetes is the API server's version, as "v1.37.1".
	Kubernetes string `json:"kubernetes"`
	// ResourceAPIs are the served versions of resource.k8s.io, as "v1".
	ResourceAPIs []string `json:"resourceAPIs"`
	// PodGroups is whether the API with the groups of pods that can have claims is served, and
	// not forbidden.
	PodGroups bool `json:"podGroups,omitempty"`
	// Gates holds each DRA feature gate that the API server knows; empty where
	// GatesUnseen says why they cannot be seen.
	Gates       map[Feature]bool `json:"gates,omitempty"`
	GatesUnseen string           `json:"gatesUnseen,omitempty"`
	// SchedulerGates are those of the scheduler, of features that it alone looks at; empty
	// where SchedulerGatesUnseen says why they cannot be seen.
	SchedulerGates       map[Feature]bool `json:"schedulerGates,omitempty"`
	SchedulerGatesUnseen string           `json:"schedulerGatesUnseen,omitempty"`
	Nodes                []Node           `json:"nodes"`
	// Components are the control plane components that run and their versions,
	// as {"kube-scheduler": "v1.37.1"}; missing where they cannot be seen.
	Components map[string]string `json:"components,omitempty"`
	// BindingTimeout is how long the scheduler waits for binding conditions; zero
	// where that cannot be seen.
	BindingTimeout time.Duration `json:"bindingTimeout,omitempty"`
	// DefaultsProfile is the name of the scheduler's profile in which nothing is set; empty
	// where none is known.
	DefaultsProfile string `json:"defaultsProfile,omitempty"`
	// Running are the components that known issues are about: each scheduler, each
	// controller manager, each kubelet; missing where they cannot be seen.
	Running []Component `json:"running,omitempty"`
	// Stack says the same in short (StackOf).
	Stack map[string]string `json:"stack,omitempty"`
	// Disruptable is whether cases may restart components and need share the cluster with
	// nobody: always in clusters that dratest makes, elsewhere if their owner says so.
	Disruptable bool `json:"disruptable,omitempty"`
	// Observed says of features where objects of the cluster use them; the gates say
	// which others there are.
	Observed map[Feature]string `json:"observed,omitempty"`
	// Restartable is the same for whole nodes.
	Restartable bool `json:"restartable,omitempty"`
	// Subject is the driver that is tested; nil where each case brings its own.
	Subject *Subject `json:"subject,omitempty"`
}

// OwnKubeletMark is the build metadata by which the version of this project's
// kubelet differs from that of Kubernetes' own, as in "v1.37.1+dratest".
const OwnKubeletMark = "+dratest"

// String is the version with what is not stock, as "Kubernetes v1.37.1 with own
// scheduler".
func (t Target) String() string {
	var others []string
	for _, whose := range []Whose{Own, Other} {
		var names []string
		for _, name := range slices.Sorted(maps.Keys(t.Stack)) {
			for part := range strings.SplitSeq(t.Stack[name], "; ") {
				if where, ok := strings.CutPrefix(part, string(whose)); ok {
					names = append(names, name+where)
				}
			}
		}
		if len(names) > 0 {
			others = append(others, string(whose)+" "+strings.Join(names, ", "))
		}
	}
	if len(others) == 0 {
		return "Kubernetes " + t.Kubernetes
	}
	return "Kubernetes " + t.Kubernetes + " with " + strings.Join(others, " and ")
}

// Node is one node of a target.
type Node struct {
	Name string `json:"name"`
	// Kubelet is the kubelet's version, Runtime the container runtime's as the
	// kubelet reports it ("containerd://2.3.7").
	Kubelet string `json:"kubelet"`
	Runtime string `json:"runtime"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
	// Kernel is the kernel's release, as the kubelet reports it.
	Kernel string `json:"kernel,omitempty"`
	// KubeletGates are those of the node's kubelet, for features that kubelets take part
	// in; empty where they cannot be seen.
	KubeletGates map[Feature]bool `json:"kubeletGates,omitempty"`
	// Simulated: no kubelet runs there, so no container does (kwok).
	Simulated bool `json:"simulated,omitempty"`
	// Schedulable is false for nodes that are cordoned, not ready, or keep
	// ordinary pods away with a taint.
	Schedulable bool `json:"schedulable"`
	// ControlPlane is whether the control plane's components run on the node, as its
	// label says.
	ControlPlane bool `json:"controlPlane,omitempty"`
}

// ControlPlane is the name of the first node that the control plane runs on; empty if
// the cluster shows none.
func (t Target) ControlPlane() string {
	for _, n := range t.Nodes {
		if n.ControlPlane && n.OS == "linux" {
			return n.Name
		}
	}
	return ""
}

// Workers are the names of the nodes on which cases can run pods, in order.
func (t Target) Workers() []string {
	var names []string
	for _, n := range t.Nodes {
		if n.Schedulable && !n.Simulated && n.OS == "linux" {
			names = append(names, n.Name)
		}
	}
	return names
}

// NodesFor are the names of the nodes that a case may use which has these needs, in order:
// those of Workers and, if it needs no kubelet, simulated ones.
func (t Target) NodesFor(n Needs) []string {
	names := t.Workers()
	for _, node := range t.Nodes {
		if n.NoKubelet && node.Simulated && node.Schedulable && node.OS == "linux" {
			names = append(names, node.Name)
		}
	}
	slices.Sort(names)
	return names
}

// Simulated counts the nodes that run no containers.
func (t Target) Simulated() int {
	count := 0
	for _, n := range t.Nodes {
		if n.Simulated {
			count++
		}
	}
	return count
}
