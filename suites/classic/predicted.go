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

package classic

import (
	"context"
	"fmt"
	"slices"

	"github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/classicdra"
	"github.com/dra-conformance/dratest/framework/harness/whatif"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Predicted has three devices on each node. Each node serves one of the pods with two claims, and none
// the pod with four.
var Predicted = harness.Case{Meta: spec.Meta{
	ID:       "classic/foretold",
	Checks:   "Predicting growth reserves nothing; the predicted nodes serve exactly the predicted pods, one node less does not.",
	Requires: []spec.RequirementID{"kep-3063/driver-does-all-specific", "kep-3063/custom-matching", "kep-3063/allocated-before-scheduled"},
	Needs:    addsNodes(needs(1)),
}, Run: func(t *harness.T) {
	c := classicdra.Start(t)
	group := whatif.NodeGroup(t, "gpu")
	nodes := slices.Clone(t.Nodes)
	for i := range 3 {
		nodes = append(nodes, classicdra.SimulatedNode(group, i+1))
	}
	d := c.Driver(classicdra.DriverConfig{Devices: 3, Nodes: nodes})
	f := prediction{t: t, c: c, nodes: nodes, class: d.Class("", nil)}
	f.pod("runs", 2)
	t.WaitScheduled("runs")
	for _, name := range []string{"one", "two", "three"} {
		f.pod(name, 2)
	}
	f.pod("large", 4)

	fewer, all := d.Simulate(group, 2), d.Simulate(group, 3)
	t.Expect(d.Held()).To(gomega.HaveLen(2), "devices allocated to claims after questions")
	served, where := split(all)
	t.Expect(served).To(gomega.ConsistOf("one", "two", "three"), "pods served by three more nodes")
	t.Expect(where).To(gomega.ConsistOf(nodes[1:]), "their nodes")
	servedByFewer, _ := split(fewer)

	whatif.AddBareNode(t, group, nodes[1])
	whatif.AddBareNode(t, group, nodes[2])
	run := f.waitScheduled(1 + len(servedByFewer))
	f.expectFull(nodes[:3])
	t.Expect(f.waitScheduled(1+len(servedByFewer))).To(gomega.ConsistOf(run), "pods keeping their node")
	whatif.AddBareNode(t, group, nodes[3])
	t.Expect(f.waitScheduled(1+len(served))).To(gomega.ConsistOf(append(served, "runs")), "pods with a node")
	f.expectFull(nodes)
	f.waitScheduled(1 + len(served))
}}

// prediction holds the shared settings of Predicted's pods.
type prediction struct {
	t     *harness.T
	c     *classicdra.DRA
	nodes []string // where pods may go
	class string
}

// pod creates a pod with this many claims, also schedulable on added nodes.
func (f prediction) pod(name string, claims int) {
	var names []string
	for i := range claims {
		names = append(names, fmt.Sprintf("%s-%d", name, i))
		f.t.Create(claim(names[i], f.class, nil))
	}
	pod := f.c.Pod(name, names...)
	whatif.OnAdded(f.t, &pod.Spec)
	pod.Spec.NodeSelector = nil
	f.t.Create(objects.OnlyOn(pod, f.nodes...))
}

// expectFull expects no room on these nodes for another pod like the waiting ones.
func (f prediction) expectFull(nodes []string) {
	probe := fmt.Sprintf("probe-%d", len(nodes))
	f.pod(probe, 2)
	f.c.WaitPodScheduling(probe, "refused on all nodes", func(s *classicdra.PodScheduling) bool {
		return s != nil && len(s.PotentialNodes) == len(nodes) && len(s.UnsuitableNodes[probe+"-0"]) == len(nodes)
	})
	unallocated(f.t, probe+"-0")
	f.t.RemovePod(probe)
}

// waitScheduled waits until this many pods have a node, and returns their names.
func (f prediction) waitScheduled(count int) (names []string) {
	f.t.Poll(fmt.Sprintf("%d pods to have a node", count), func(ctx context.Context) (bool, string, error) {
		list, err := f.t.Client.CoreV1().Pods(f.t.Namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, "", err
		}
		names = nil
		for _, pod := range list.Items {
			if pod.Spec.NodeName != "" {
				names = append(names, pod.Name)
			}
		}
		return len(names) == count, fmt.Sprint(names), nil
	})
	return names
}

// split returns the pods with a node, and these nodes.
func split(pods []spec.PredictedPod) (served, nodes []string) {
	for _, p := range pods {
		if p.Node != "" {
			served, nodes = append(served, p.Name), append(nodes, p.Node)
		}
	}
	return served, nodes
}
