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

package explore

import (
	"encoding/json"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/problem"
)

// label is the ID of an object's problem.
const label = "dra-conformance.github.io/problem"

// scope isolates a problem from others in the cluster. Names of objects and drivers get the ID.
// Slices for all nodes become slices for the problem's nodes, and classes select only devices of
// the problem's drivers.
func scope(p *problem.Problem, id, namespace string) (*problem.Problem, error) {
	data, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("scope problem: %w", err)
	}
	// Driver names also occur in attributes, constraints and expressions.
	scoped := &problem.Problem{}
	if err := json.Unmarshal([]byte(strings.ReplaceAll(string(data), domain, "."+id+domain)), scoped); err != nil {
		return nil, fmt.Errorf("scope problem: %w", err)
	}
	s := scoping{id: id, namespace: namespace}
	for i := range scoped.Nodes {
		s.node(&scoped.Nodes[i])
	}
	for i := range scoped.Slices {
		s.slice(&scoped.Slices[i])
	}
	for i := range scoped.Classes {
		class := &scoped.Classes[i]
		class.ObjectMeta = s.meta(class.Name)
		only := resourceapi.DeviceSelector{CEL: &resourceapi.CELDeviceSelector{Expression: fmt.Sprintf("device.driver.endsWith(%q)", "."+id+domain)}}
		class.Spec.Selectors = append([]resourceapi.DeviceSelector{only}, class.Spec.Selectors...)
	}
	for i := range scoped.Rules {
		scoped.Rules[i].ObjectMeta = s.meta(scoped.Rules[i].Name)
	}
	for _, claims := range [][]resourceapi.ResourceClaim{scoped.Allocated, scoped.Claims} {
		for i := range claims {
			s.claim(&claims[i])
		}
	}
	for i := range scoped.Pods {
		pod := &scoped.Pods[i]
		pod.Name = s.name(pod.Name)
		for c := range pod.Claims {
			pod.Claims[c] = s.name(pod.Claims[c])
		}
		for c := range pod.Containers {
			pod.Containers[c].Extended = s.extended(pod.Containers[c].Extended)
		}
	}
	return scoped, nil
}

// domain is the domain of all generated drivers.
const domain = ".example.com"

type scoping struct{ id, namespace string }

func (s scoping) name(name string) string { return s.id + "-" + name }

func (s scoping) meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: s.name(name), Labels: map[string]string{label: s.id}}
}

// extended renames the classes of implicit extended resources. Explicit names have the domain of drivers.
func (s scoping) extended(all map[string]int64) map[string]int64 {
	scoped := make(map[string]int64, len(all))
	for name, count := range all {
		if class, implicit := strings.CutPrefix(name, resourceapi.ResourceDeviceClassPrefix); implicit {
			name = resourceapi.ResourceDeviceClassPrefix + s.name(class)
		}
		scoped[name] = count
	}
	return scoped
}

func (s scoping) node(n *problem.Node) {
	n.Name = s.name(n.Name)
	labels := map[string]string{}
	for key, value := range n.Labels {
		labels[key] = value
	}
	labels[label], labels[corev1.LabelHostname] = s.id, n.Name
	n.Labels = labels
}

func (s scoping) slice(slice *resourceapi.ResourceSlice) {
	slice.ObjectMeta = s.meta(slice.Name)
	spec := &slice.Spec
	s.selection(&spec.NodeName, &spec.NodeSelector, &spec.AllNodes)
	for i := range spec.Devices {
		d := &spec.Devices[i]
		s.selection(&d.NodeName, &d.NodeSelector, &d.AllNodes)
	}
}

func (s scoping) selection(node **string, selector **corev1.NodeSelector, all **bool) {
	if *node != nil {
		name := s.name(**node)
		*node = &name
	}
	if *all != nil {
		*all, *selector = nil, &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{}}}
	}
	if *selector == nil {
		return
	}
	for i := range (*selector).NodeSelectorTerms {
		term := &(*selector).NodeSelectorTerms[i]
		term.MatchExpressions = append(term.MatchExpressions, corev1.NodeSelectorRequirement{Key: label, Operator: corev1.NodeSelectorOpIn, Values: []string{s.id}})
		for f := range term.MatchFields {
			for v := range term.MatchFields[f].Values {
				term.MatchFields[f].Values[v] = s.name(term.MatchFields[f].Values[v])
			}
		}
	}
}

func (s scoping) claim(claim *resourceapi.ResourceClaim) {
	claim.ObjectMeta = s.meta(claim.Name)
	claim.Namespace = s.namespace
	for i := range claim.Spec.Devices.Requests {
		request := &claim.Spec.Devices.Requests[i]
		if request.Exactly != nil {
			request.Exactly.DeviceClassName = s.name(request.Exactly.DeviceClassName)
		}
		for a := range request.FirstAvailable {
			request.FirstAvailable[a].DeviceClassName = s.name(request.FirstAvailable[a].DeviceClassName)
		}
	}
}
