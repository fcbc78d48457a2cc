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

// Target is the result of a probe: all facts about a cluster needed by the plan and the reports.
type Target struct {
	// Server is the address of the API server.
	Server string `json:"server"`
	// Kubernetes is the API server's version, as "v1.37.1".
	Kubernetes string `json:"kubernetes"`
	// ResourceAPIs are the served versions of resource.k8s.io, as "v1".
	ResourceAPIs []string `json:"resourceAPIs"`
	// PodGroups: the API of pod groups with claims is served and permitted.
	PodGroups bool `json:"podGroups,omitempty"`
	// Gates has each DRA feature gate known by the API server; empty if GatesUnseen has a reason.
	Gates       map[Feature]bool `json:"gates,omitempty"`
	GatesUnseen string           `json:"gatesUnseen,omitempty"`
	// SchedulerGates are the scheduler's gates of scheduler-only features; empty if SchedulerGatesUnseen has a reason.
	SchedulerGates       map[Feature]bool `json:"schedulerGates,omitempty"`
	SchedulerGatesUnseen string           `json:"schedulerGatesUnseen,omitempty"`
	// APIServers is the number of API servers according to their leases; zero if unknown.
	APIServers int    `json:"apiServers,omitempty"`
	Nodes      []Node `json:"nodes"`
	// Components are the running control plane components with their versions, as {"kube-scheduler": "v1.37.1"};
	// invisible ones are missing.
	Components map[string]string `json:"components,omitempty"`
	// BindingTimeout is the scheduler's timeout for binding conditions; zero if unknown.
	BindingTimeout time.Duration `json:"bindingTimeout,omitempty"`
	// DefaultsProfile is the name of the scheduler profile with nothing set; empty if unknown.
	DefaultsProfile string `json:"defaultsProfile,omitempty"`
	// Running are the components relevant for known issues: each scheduler, each controller manager, each kubelet;
	// invisible ones are missing.
	Running []Component `json:"running,omitempty"`
	// Stack says the same in short (StackOf).
	Stack map[string]string `json:"stack,omitempty"`
	// Disruptable: cases may restart components and need not share the cluster: always in clusters made by dratest,
	// elsewhere with the owner's permission.
	Disruptable bool `json:"disruptable,omitempty"`
	// Observed maps features to objects of the cluster using them; the gates show other features.
	Observed map[Feature]string `json:"observed,omitempty"`
	// Restartable is the same for whole nodes.
	Restartable bool `json:"restartable,omitempty"`
	// DriverUnderTest is the driver under test; nil if each case brings its own.
	DriverUnderTest *DriverUnderTest `json:"subject,omitempty"`
}

// OwnKubeletMark is the build metadata in the version of this project's kubelet, as in "v1.37.1+dratest", to
// distinguish it from Kubernetes' own.
const OwnKubeletMark = "+dratest"

// String is the version with all components other than stock, as "Kubernetes v1.37.1 with own scheduler".
func (t Target) String() string {
	var others []string
	for _, whose := range []Provenance{Own, Other} {
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
	// Kubelet is the kubelet's version, Runtime the container runtime's version as reported by the kubelet
	// ("containerd://2.3.7").
	Kubelet string `json:"kubelet"`
	Runtime string `json:"runtime"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
	// Kernel is the kernel's release, as reported by the kubelet.
	Kernel string `json:"kernel,omitempty"`
	// KubeletGates are the node's kubelet's gates of kubelet features; empty if unknown.
	KubeletGates map[Feature]bool `json:"kubeletGates,omitempty"`
	// Simulated: without a kubelet and containers (kwok).
	Simulated bool `json:"simulated,omitempty"`
	// Schedulable is false for nodes that are cordoned, not ready, or tainted against ordinary pods.
	Schedulable bool `json:"schedulable"`
	// ControlPlane: the control plane's components run on the node, according to its label.
	ControlPlane bool `json:"controlPlane,omitempty"`
}

// ControlPlane is the name of the first control plane node; empty if invisible.
func (t Target) ControlPlane() string {
	for _, n := range t.Nodes {
		if n.ControlPlane && n.OS == "linux" {
			return n.Name
		}
	}
	return ""
}

// Workers returns the names of the nodes able to run cases' pods, in order.
func (t Target) Workers() []string {
	var names []string
	for _, n := range t.Nodes {
		if n.Schedulable && !n.Simulated && n.OS == "linux" {
			names = append(names, n.Name)
		}
	}
	return names
}

// NodesFor returns the names of the nodes usable by a case with these needs, in order: Workers and, if it needs no
// kubelet, simulated ones.
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

// Simulated counts the nodes without containers.
func (t Target) Simulated() int {
	count := 0
	for _, n := range t.Nodes {
		if n.Simulated {
			count++
		}
	}
	return count
}
