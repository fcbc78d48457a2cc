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
	"fmt"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/whatif"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// DaemonSets has a DaemonSet take a device of each node while the node's taint keeps others away.
var DaemonSets = harness.Case{Meta: spec.Meta{
	ID:       "whatif/daemon-sets",
	Checks:   "dra-whatif counts the device a DaemonSet's pod takes on each new node.",
	Requires: []spec.RequirementID{simulates},
	Needs:    needs(),
}, Run: func(t *harness.T) {
	request := objects.Request("req", t.CreateClass(nil))
	// A group's claim does not pass the API server, so this default is set here.
	request.Exactly.AllocationMode, request.Exactly.Count = resourceapi.DeviceAllocationModeExactCount, 1
	claim := objects.Claim("agent", request)
	t.Create(objects.Template("agent", claim))
	agentOnAdded(t, "agent", "agent")
	equal(t, "pod", 3, claim, nil)
	group := whatif.NodeGroup(t, "gpu", devices(3)...)
	agent := objects.Pod("agent", t.Image, "agent")
	agent.Namespace, claim.Namespace = t.Namespace, t.Namespace
	agent.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	group.Pods, group.Claims = append(group.Pods, agent), append(group.Claims, claim)
	waitClaims(t)
	predicted := whatif.Grow(t, group)
	t.Expect(unserved(predicted)).To(gomega.BeEmpty(), "pods not served by any node")
	t.Expect(predicted.Groups[0].Nodes).To(gomega.HaveLen(2), "nodes, with a device used by each agent")
	limited := group
	limited.Max = 1
	stay := unserved(whatif.Grow(t, limited))
	t.Expect(stay).To(gomega.Equal(map[string]int{"pod": 1}), "pending pods with one node less")

	for i, name := range predicted.Groups[0].Nodes {
		whatif.AddBareNode(t, group, name, startup)
		whatif.PublishFor(t, group, name)
		waitAgents(t, i+1)
		removeStartup(t, group, name)
		if i == 0 {
			expectStay(t, stay)
		}
	}
	waitScheduled(t, nil)
	expectLeft(t, predicted)
}}

// waitAgents waits until n of the DaemonSet's pods have a node.
func waitAgents(t *harness.T, n int) {
	t.Poll(fmt.Sprintf("%d agents to have a node", n), func(ctx context.Context) (bool, string, error) {
		all, err := pods(ctx, t)
		there := 0
		for _, p := range all {
			if kindOf(p.Name) == "agent" && p.Spec.NodeName != "" {
				there++
			}
		}
		return there == n, fmt.Sprintf("%d have", there), err
	})
}
