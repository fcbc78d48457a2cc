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

package cases

import (
	"encoding/json"

	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/kubelet"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/upgrade/path"
)

// PodResources queries the kubelet of a pod's node after each step. Deleted pods are not listed.
var PodResources = Case{
	Meta: spec.Meta{
		ID:       "upgrade/podresources",
		Checks:   "The podresources API returns the same devices of a running pod after every step, in List and in Get.",
		Requires: []spec.RequirementID{"kep-3695/known-after-restart", "kep-3695/devices-of-container", "kep-3695/get-like-list"},
		Needs:    spec.Needs{Profile: profiles.OneDevice()},
	},
	Before: func(t *harness.T, n *Notes) {
		t.CreateClass(nil)
		t.Create(objects.Claim("stays", one(t.DriverName())))
		t.RunPod(objects.OnlyOn(objects.Pod("stays", t.Image, "stays"), t.Nodes[0]))
		n.note(t, "stays", "stays")
		device := result(t, t.Claim("stays"))
		answer := kubelet.AwaitPodResources(t, t.Nodes[0], "stays")
		t.Expect(answer.List).To(gomega.HaveLen(1), "devices in the answer to List")
		t.Expect(answer.List[0].Device).To(gomega.Equal(device.Device), "device in the answer to List")
		n.Answers = map[string]string{"stays": devicesOf(t, answer)}
	},
	After: func(t *harness.T, n *Notes, _ path.Step) {
		n.unchanged(t)
		t.Expect(devicesOf(t, kubelet.AwaitPodResources(t, t.Nodes[0], "stays"))).To(gomega.Equal(n.Answers["stays"]), "pod stays in the kubelet's podresources API")
	},
	Restored: func(t *harness.T, n *Notes) { n.unchanged(t) },
	Gone: func(t *harness.T, _ *Notes) {
		t.RunPod(objects.OnlyOn(objects.Pod("other", t.Image), t.Nodes[0]))
		end(t, "stays")
		t.Expect(kubelet.PodResources(t, t.Nodes[0], "other")).To(gomega.And(gomega.HaveField("Pods", gomega.ConsistOf("other")), gomega.HaveField("List", gomega.BeEmpty())), "pods listed for the namespace after deletion of pod stays")
	},
}

// devicesOf returns the devices in an answer, and checks that a second answer is equal.
func devicesOf(t *harness.T, answer spec.PodResources) string {
	t.Expect(answer.Get).To(gomega.Equal(answer.List), "devices in the answer to Get, compared with List")
	text, err := json.Marshal(answer.List)
	t.NoError(err, "note the answer")
	return string(text)
}
