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
	"fmt"
	"slices"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/harness/whatif"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// RealNodes learns a group from a node with a kubelet and a driver. The other node exists already; its driver
// publishes nothing until then.
var RealNodes = harness.Case{Meta: spec.Meta{
	ID:       "whatif/real-nodes",
	Checks:   "For a group learned from a real node, dra-whatif predicts how many pods another node serves and how many wait.",
	Requires: []spec.RequirementID{simulates, "kep-4381/slice-node-name-for-autoscaler"},
	Needs:    spec.Needs{Companions: []spec.Companion{whatif.Companion}, Nodes: 2, Profile: profiles.Empty()},
}, Run: func(t *harness.T) {
	there, coming := t.Nodes[0], t.Nodes[1]
	simdriver.Of(t).PublishOn(there, profiles.TwoDevices())
	t.Create(objects.Template("pod", objects.Claim("", objects.Request("req", t.CreateClass(nil)))))
	for i := range 5 {
		t.Create(objects.PodFromTemplate(fmt.Sprintf("pod-%d", i), t.Image, "pod"))
	}
	waitScheduled(t, map[string]int{"pod": 3})

	group := whatif.Learn(t, there)
	group.Max = 1
	// Drivers of other cases come and go.
	group.Slices = slices.DeleteFunc(group.Slices, func(s *resourceapi.ResourceSlice) bool { return s.Spec.Driver != t.DriverName() })
	predicted := whatif.Grow(t, group)
	t.Expect(predicted.Groups[0].Count).To(gomega.Equal(1), "needed nodes")
	stay := unserved(predicted)
	t.Expect(stay).To(gomega.Equal(map[string]int{"pod": 1}), "pods not served by one more node")

	simdriver.Of(t).PublishOn(coming, profiles.TwoDevices())
	expectStay(t, stay)
	expectLeft(t, predicted)
	all, err := pods(t.Context(), t)
	t.NoError(err, "list pods")
	var onComing int
	for i := range all {
		if all[i].Spec.NodeName == "" {
			continue
		}
		t.WaitRunning(all[i].Name)
		t.Expect(matchers.DevicesIn(t.Environment(all[i].Name, "main"))).To(gomega.HaveLen(1), "devices of pod %s", all[i].Name)
		if all[i].Spec.NodeName == coming {
			onComing++
		}
	}
	t.Expect(onComing).To(gomega.Equal(onNew(predicted)), "pods on the new node")
}}
