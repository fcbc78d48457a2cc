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

package app

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"github.com/dra-conformance/dratest/implementation/simulation"
)

// learn returns a file with a group modeled on an existing node.
func learn(objects simulation.Objects, name string) ([]byte, error) {
	i := slices.IndexFunc(objects.Nodes, func(n *v1.Node) bool { return n.Name == name })
	if i < 0 {
		return nil, noNode(name)
	}
	node := objects.Nodes[i]
	group := &simulation.Group{Name: "like-" + name, Cost: 1}
	group.Node = &v1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: node.Name, Labels: node.Labels},
		Spec:       v1.NodeSpec{Taints: slices.DeleteFunc(slices.Clone(node.Spec.Taints), passing)},
		Status:     v1.NodeStatus{Capacity: node.Status.Capacity, Allocatable: node.Status.Allocatable, DeclaredFeatures: node.Status.DeclaredFeatures},
	}
	var notes []string
	if node.Spec.Unschedulable {
		notes = append(notes, "the node is cordoned, new nodes are not")
	}
	notes = append(notes, learnSlices(objects, group)...)
	notes = append(notes, learnPods(objects, group)...)
	text, err := yaml.Marshal(map[string]any{"groups": []*simulation.Group{group}})
	if err != nil {
		return nil, fmt.Errorf("write group: %w", err)
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "# A node group modeled on %s. Set name, cost and max.\n", name)
	for _, note := range notes {
		fmt.Fprintf(&out, "# Not shared by new nodes: %s\n", comment(note))
	}
	if err := group.Validate(); err != nil {
		for _, e := range problemsOf(err) {
			fmt.Fprintf(&out, "# To be fixed: %s\n", comment(e.Error()))
		}
	}
	out.Write(text)
	return out.Bytes(), nil
}

// comment joins the lines of a text: only the first one would be in the comment.
func comment(text string) string { return strings.Join(strings.Fields(printable(text)), " ") }

// passing reports whether a taint is Kubernetes' mark of a temporary condition, e.g.
// node.kubernetes.io/unschedulable on a cordoned node.
func passing(taint v1.Taint) bool { return strings.HasPrefix(taint.Key, "node.kubernetes.io/") }

func problemsOf(err error) []error {
	var joined interface{ Unwrap() []error }
	if errors.As(err, &joined) {
		return joined.Unwrap()
	}
	return []error{err}
}

// learnSlices adds the node's slices in the newest generation of their pools.
func learnSlices(objects simulation.Objects, group *simulation.Group) (notes []string) {
	type pool struct{ driver, name string }
	newest := make(map[pool]int64)
	for _, s := range objects.Slices {
		id := pool{s.Spec.Driver, s.Spec.Pool.Name}
		newest[id] = max(newest[id], s.Spec.Pool.Generation)
	}
	sorted := slices.Clone(objects.Slices)
	slices.SortFunc(sorted, func(a, b *resourceapi.ResourceSlice) int { return cmp.Compare(a.Name, b.Name) })
	for _, s := range sorted {
		if s.Spec.Pool.Generation != newest[pool{s.Spec.Driver, s.Spec.Pool.Name}] {
			continue
		}
		if s.Spec.NodeName == nil {
			notes = append(notes, fmt.Sprintf("slice %s is for several nodes: new nodes may access its devices, but add none", s.Name))
			continue
		}
		if *s.Spec.NodeName != group.Node.Name {
			continue
		}
		group.Slices = append(group.Slices, &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: s.Name}, Spec: s.Spec})
		for i := range s.Spec.Devices {
			notes = append(notes, serials(&s.Spec.Devices[i])...)
		}
	}
	return notes
}

var (
	// serialName matches the names of attributes unique to each device.
	serialName = regexp.MustCompile(`(?i)serial|uuid|guid|mac$|address|pci.*(bus|root|id)`)
	// serialValue matches a UUID, a MAC address or a PCI bus address.
	serialValue = regexp.MustCompile(`(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|^([0-9a-f]{2}:){5}[0-9a-f]{2}$|^([0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$|^pci[0-9a-f]{4}:[0-9a-f]{2}$`)
)

// serials lists the attributes of a device that look unique.
func serials(d *resourceapi.Device) (notes []string) {
	for name, attribute := range d.Attributes {
		value := ptr.Deref(attribute.StringValue, "")
		if value != "" && (serialName.MatchString(string(name)) || serialValue.MatchString(value)) {
			notes = append(notes, fmt.Sprintf("attribute %s of device %s is %q", name, d.Name, value))
		}
	}
	slices.Sort(notes)
	return notes
}

// learnPods adds the DaemonSet pods with their resource and device requests.
func learnPods(objects simulation.Objects, group *simulation.Group) (notes []string) {
	for _, pod := range objects.Pods {
		owner := metav1.GetControllerOf(pod)
		if pod.Spec.NodeName != group.Node.Name || owner == nil || owner.Kind != "DaemonSet" {
			continue
		}
		learned := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name, Labels: pod.Labels}}
		learned.Spec = v1.PodSpec{
			InitContainers: learnContainers(pod.Spec.InitContainers), Containers: learnContainers(pod.Spec.Containers),
			Overhead: pod.Spec.Overhead, HostNetwork: pod.Spec.HostNetwork, Tolerations: pod.Spec.Tolerations,
		}
		if all := pod.Spec.Resources; all != nil {
			learned.Spec.Resources = &v1.ResourceRequirements{Requests: all.Requests}
		}
		for i := range pod.Spec.ResourceClaims {
			ref := &pod.Spec.ResourceClaims[i]
			name, own, err := resourceclaim.Name(pod, ref)
			if err != nil || name == nil {
				continue
			}
			if !own {
				notes = append(notes, fmt.Sprintf("claim %s/%s of pod %s is shared by all pods of its DaemonSet: it is left out", pod.Namespace, *name, pod.Name))
				continue
			}
			for _, claim := range objects.Claims {
				if claim.Namespace == pod.Namespace && claim.Name == *name {
					group.Claims = append(group.Claims, &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: claim.Namespace, Name: claim.Name}, Spec: claim.Spec})
					learned.Spec.ResourceClaims = append(learned.Spec.ResourceClaims, v1.PodResourceClaim{Name: ref.Name, ResourceClaimName: name})
				}
			}
		}
		group.Pods = append(group.Pods, learned)
	}
	return notes
}

// learnContainers keeps the scheduler's input: requests, sidecars, host ports.
func learnContainers(containers []v1.Container) []v1.Container {
	var learned []v1.Container
	for i := range containers {
		c := &containers[i]
		l := v1.Container{Name: c.Name, Resources: v1.ResourceRequirements{Requests: c.Resources.Requests}, RestartPolicy: c.RestartPolicy}
		for _, port := range c.Ports {
			if port.HostPort != 0 {
				l.Ports = append(l.Ports, port)
			}
		}
		learned = append(learned, l)
	}
	return learned
}
