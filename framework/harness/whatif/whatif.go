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

package whatif

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/onsi/ginkgo/v2"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Companion answers what-if questions about nodes.
const Companion spec.Companion = "whatIf"

// Client runs dra-whatif, to find the nodes needed by pods of a cluster. framework/companions
// implements it.
type Client interface {
	// Ask runs the command with arguments and an input, and returns its output. Pods that cannot be
	// served are no error.
	Ask(ctx context.Context, input []byte, args ...string) ([]byte, error)
}

const (
	// addedKey is the label and taint key of nodes added by a case; the value is its namespace.
	addedKey = "dra-conformance.github.io/added-by"
	// kwok simulates nodes with this annotation.
	kwokKey, kwokValue = "kwok.x-k8s.io/node", "fake"
)

// Grow returns the nodes of groups needed by the case's pending pods.
func Grow(t *harness.T, groups ...spec.NodeGroup) spec.Growth {
	ginkgo.GinkgoHelper()
	input, err := json.Marshal(map[string]any{"groups": groups}) // JSON is YAML
	t.NoError(err, "write the groups of nodes")
	var growth spec.Growth
	ask(t, &growth, input, "--filename=-", "--namespace="+t.Namespace)
	for _, g := range growth.Groups {
		t.Note("group %s: %d nodes, %d devices left", g.Name, g.Count, g.Left)
	}
	for _, p := range growth.Pods {
		t.Note("pod %s: node %q %s", p.Name, p.Node, p.Reason)
	}
	return growth
}

// Shrink returns whether the pods of a node fit elsewhere.
func Shrink(t *harness.T, node string) spec.Departure {
	ginkgo.GinkgoHelper()
	var departure spec.Departure
	ask(t, &departure, nil, "shrink", node)
	t.Note("possible: %t, pods %+v, blockers %q", departure.Possible, departure.Pods, departure.Blockers)
	return departure
}

func ask(t *harness.T, into any, input []byte, args ...string) {
	ginkgo.GinkgoHelper()
	out := run(t, input, append(args, "--output=json")...)
	t.NoError(json.Unmarshal(out, into), "read the answer %s", out)
}

func run(t *harness.T, input []byte, args ...string) []byte {
	ginkgo.GinkgoHelper()
	program := t.Companion(Companion).(Client)
	t.Step("run dra-whatif %s", strings.Join(args, " "))
	out, err := program.Ask(t.Context(), input, args...)
	t.NoError(err, "run dra-whatif")
	return out
}

// NodeGroup is a group of nodes with 8 CPUs and a pool of the case's driver with these devices.
// Only pods of OnAdded run there.
func NodeGroup(t *harness.T, name string, devices ...resourceapi.Device) spec.NodeGroup {
	name = t.Namespace + "-" + name
	capacity := corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("8"), corev1.ResourceMemory: resource.MustParse("32Gi"), corev1.ResourcePods: resource.MustParse("110"),
	}
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name + "-template", Labels: map[string]string{
			corev1.LabelHostname: name + "-template", corev1.LabelOSStable: "linux", addedKey: t.Namespace,
		}},
		Spec:   corev1.NodeSpec{Taints: []corev1.Taint{{Key: addedKey, Value: t.Namespace, Effect: corev1.TaintEffectNoSchedule}}},
		Status: corev1.NodeStatus{Capacity: capacity, Allocatable: capacity},
	}
	group := spec.NodeGroup{Name: name, Node: node}
	if len(devices) > 0 {
		group.Slices = append(group.Slices, t.Slice(node.Name, node.Name, devices...))
	}
	return group
}

// OnAdded restricts a pod to the nodes added by the case.
func OnAdded(t *harness.T, pod *corev1.PodSpec) {
	pod.NodeSelector = map[string]string{addedKey: t.Namespace}
	pod.Tolerations = append(pod.Tolerations, corev1.Toleration{Key: addedKey, Operator: corev1.TolerationOpExists})
}

// AddNode adds a node of a group with its slices.
func AddNode(t *harness.T, group spec.NodeGroup, name string) {
	ginkgo.GinkgoHelper()
	AddBareNode(t, group, name)
	PublishFor(t, group, name)
}

// AddBareNode adds a Ready node of a group, without slices.
func AddBareNode(t *harness.T, group spec.NodeGroup, name string, taints ...corev1.Taint) {
	ginkgo.GinkgoHelper()
	node := group.Node.DeepCopy()
	node.Name, node.Labels[corev1.LabelHostname] = name, name
	node.Annotations = map[string]string{kwokKey: kwokValue}
	node.Spec.Taints = append(node.Spec.Taints, taints...)
	now := metav1.Now()
	node.Status.Conditions = []corev1.NodeCondition{{
		Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "KubeletReady", Message: "simulated by kwok", LastHeartbeatTime: now, LastTransitionTime: now,
	}}
	t.Create(node)
}

// Learn returns a group of nodes like an existing one.
func Learn(t *harness.T, node string) spec.NodeGroup {
	ginkgo.GinkgoHelper()
	text := run(t, nil, "learn", node)
	var file struct {
		Groups []spec.NodeGroup `json:"groups"`
	}
	t.NoError(yaml.Unmarshal(text, &file), "read the group of nodes %s", text)
	return file.Groups[0]
}

// PublishFor publishes the slices of a node of a group.
func PublishFor(t *harness.T, group spec.NodeGroup, name string) {
	ginkgo.GinkgoHelper()
	for i, slice := range group.Slices {
		made := slice.DeepCopy()
		made.Name = fmt.Sprintf("%s-%d-%s", name, i, t.DriverName())
		made.Spec.NodeName, made.Spec.Pool.Name = ptr.To(name), strings.ReplaceAll(slice.Spec.Pool.Name, group.Node.Name, name)
		t.Create(made)
	}
}
