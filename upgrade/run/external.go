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
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
	"github.com/dra-conformance/dratest/upgrade/cases"
	"github.com/dra-conformance/dratest/upgrade/path"
)

// External is the state of an upgrade by another tool, between the processes of dratest.
type External struct {
	// ID is in the cluster's mark.
	ID string `json:"id"`
	// Suite is the dratest that began. Another build may have other cases and another test driver.
	Suite schema.Suite `json:"suite"`
	ExternalOptions

	// ClusterUID is the UID of the namespace kube-system.
	ClusterUID types.UID `json:"clusterUID"`
	// First and Last are the versions found by the first and the last process, by component and node.
	First map[string]string `json:"first"`
	Last  map[string]string `json:"last"`
	// Begun is set once all cases have created their objects, Ended once everything is removed again.
	Begun bool `json:"begun"`
	Ended bool `json:"ended"`
}

// ExternalOptions are the options of the first process for all others.
type ExternalOptions struct {
	// Drain: nodes are drained before their kubelet changes.
	Drain bool `json:"drain"`
	// Strict counts known issues as failures.
	Strict     bool   `json:"strict,omitempty"`
	Kubeconfig string `json:"kubeconfig"`
	Context    string `json:"context,omitempty"`
	PodImage   string `json:"podImage"`
	// AgentImage, AgentTemplate and KubeletRoot are for the test driver's agents; empty is the default.
	AgentImage    string         `json:"agentImage,omitempty"`
	AgentTemplate map[string]any `json:"agentTemplate,omitempty"`
	KubeletRoot   string         `json:"kubeletRoot,omitempty"`
}

// notByOthers returns why a case cannot run while another tool upgrades the cluster.
func notByOthers(c cases.Case, drain bool) *spec.Skip {
	text := ""
	switch {
	case c.Switches != "":
		text = fmt.Sprintf("switches the feature gate %s in a certain order, which needs an upgrade performed by dratest", c.Switches)
	case c.Down != nil:
		text = "acts while a kubelet is stopped, which needs an upgrade performed by dratest"
	case c.Etcd:
		text = "writes into etcd, which needs a cluster created by dratest"
	case c.Drained && !drain:
		text = "is about drained nodes: use --drain"
	case !c.Drained && drain:
		text = "its pods would not come back after a node was drained"
	default:
		return nil
	}
	return &spec.Skip{Code: spec.SkipPath, Text: text}
}

// found returns the versions in a cluster by component and node, without invisible components of a managed control
// plane. It also has the UIDs of nodes: a replaced one may have the old name.
func found(ctx context.Context, client kubernetes.Interface, t spec.Target) (map[string]string, error) {
	all := map[string]string{string(path.APIServer): t.Kubernetes}
	for _, c := range t.Running {
		all[path.Place{Component: path.Component(c.Program), Node: c.Node}.String()] = c.Version
	}
	if version, ok := t.Components[string(path.Proxy)]; ok {
		all[string(path.Proxy)] = version
	}
	nodes, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list nodes: %w", err)
	}
	for _, n := range nodes.Items {
		all[nodeKey(n)] = string(n.UID)
	}
	return all, nil
}

const nodePrefix = "node "

func nodeKey(n corev1.Node) string { return nodePrefix + n.Name }

// changed describes the differences between versions found by two processes.
func changed(was, is map[string]string) string {
	both := maps.Clone(was)
	maps.Copy(both, is)
	var all []string
	for _, key := range slices.Sorted(maps.Keys(both)) {
		before, there := was[key]
		after, stays := is[key]
		node := strings.HasPrefix(key, nodePrefix)
		switch {
		case before == after && there && stays:
		case !there && node:
			all = append(all, key+" is new")
		case !stays && node:
			all = append(all, key+" is gone")
		case node:
			all = append(all, key+" was replaced")
		case !there:
			all = append(all, fmt.Sprintf("%s: now %s", key, after))
		case !stays:
			all = append(all, fmt.Sprintf("%s: no longer found (was %s)", key, before))
		default:
			all = append(all, fmt.Sprintf("%s: %s to %s", key, before, after))
		}
	}
	return strings.Join(all, ", ")
}

// mix summarizes found versions, as "kube-apiserver v1.37.1; kubelet v1.36.4, v1.37.1".
func mix(found map[string]string) string {
	versions := map[string][]string{}
	for key, version := range found {
		if component, _, _ := strings.Cut(key, " "); component+" " != nodePrefix {
			versions[component] = append(versions[component], version)
		}
	}
	var all []string
	for _, component := range slices.Sorted(maps.Keys(versions)) {
		all = append(all, component+" "+strings.Join(slices.Compact(slices.Sorted(slices.Values(versions[component]))), ", "))
	}
	return strings.Join(all, "; ")
}

// clusterUID identifies a cluster.
func clusterUID(ctx context.Context, client kubernetes.Interface) (types.UID, error) {
	ns, err := client.CoreV1().Namespaces().Get(ctx, metav1.NamespaceSystem, metav1.GetOptions{})
	if err != nil {
		return "", fmt.Errorf("identify the cluster: %w", err)
	}
	return ns.UID, nil
}
