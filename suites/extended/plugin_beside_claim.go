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

package extended

import (
	"slices"
	"strings"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/issues"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// PluginBesideClaim has a pod with a claim and an extended resource served by the node's device plugin. Explore found
// it.
var PluginBesideClaim = harness.Case{Meta: spec.Meta{
	ID:         "extended/plugin-beside-claim",
	Checks:     "A pod with a claim can use an extended resource of the node's device plugin.",
	Requires:   []spec.RequirementID{"kep-5004/node-with-device-plugin-by-capacity", "kep-5004/no-claim-for-device-plugin"},
	Needs:      spec.Needs{Features: []spec.Feature{spec.ExtendedResource}, Profile: profiles.TwoDevices()},
	KnownIssue: issues.Known("plugin-beside-claim"),
}, Run: func(t *harness.T) {
	resource := createClass(t)
	node := t.Nodes[0]
	simdriver.Of(t).OfferOn(node, spec.DevicePlugin{Resource: resource, Devices: []string{"counted"}})
	pod := objects.OnlyOn(objects.Pod("both", t.Image, "claim"), node)
	pod.Spec.Containers[0] = objects.Wants(pod.Spec.Containers[0], map[string]int64{resource: 1})
	t.Create(objects.Claim("claim", objects.Request("req", t.DriverName())), pod)

	bound := t.WaitPod("both", "bound or unschedulable", func(p *corev1.Pod) (bool, error) {
		return p.Spec.NodeName != "" || slices.ContainsFunc(p.Status.Conditions, func(c corev1.PodCondition) bool {
			return c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse && strings.Contains(c.Message, "nil or empty request mappings")
		}), nil
	})
	if bound.Spec.NodeName == "" {
		t.KnownIssue("a pod waits because it also has a claim")
		return
	}
	t.Expect(t.WaitRunning("both").Status.ExtendedResourceClaimStatus).To(gomega.BeNil(), "the claim for extended resources")
	env := t.Environment("both", "main")
	t.Expect(env).To(matchers.SeeDevicePlugin("counted"), "devices of the device plugin visible to the container")
	t.Expect(matchers.DevicesIn(env)).To(gomega.HaveLen(1), "devices of the claim visible to the container")
}}
