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
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/classicdra"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// WithStructured has a device in a ResourceSlice of one node, first rejected by the driver.
var WithStructured = harness.Case{Meta: spec.Meta{
	ID:       "classic/with-structured",
	Checks:   "A pod with a driver-allocated and a scheduler-allocated claim goes to the node that has devices for both.",
	Requires: []spec.RequirementID{"kep-3063/drivers-without-scheduler-changes", "article-126/potential-nodes-told", "article-126/not-scheduled-without-all", "kep-3063/allocated-before-scheduled"},
	Needs:    needs(2),
}, Run: func(t *harness.T) {
	c := classicdra.Start(t)
	node := t.Nodes[1]
	d := c.Driver(classicdra.DriverConfig{Devices: 1, Refuse: []string{node}})
	t.Publish(node, node, resourceapi.Device{Name: "device-0"})
	t.Create(claim("classic", d.Class("", nil), nil), objects.Claim("structured", objects.Request("req", t.CreateClass(nil))), c.Pod("pod", "classic", "structured"))
	said := c.WaitPodScheduling("pod", "refused", func(s *classicdra.PodScheduling) bool { return s != nil && len(s.UnsuitableNodes["classic"]) > 0 })
	t.Expect(append(said.PotentialNodes, node)).To(gomega.HaveEach(node), "nodes in the driver's questions: those with the device of the slice")
	t.WaitUnschedulable("pod", "")
	unallocated(t, "classic")
	unallocated(t, "structured")
	d.Begin(func(d *classicdra.DriverConfig) { d.Refuse = nil })
	t.Expect(t.WaitScheduled("pod").Spec.NodeName).To(gomega.Equal(node), "node of the pod")
	for name, driver := range map[string]string{"classic": d.Name(), "structured": t.DriverName()} {
		got := t.Claim(name)
		t.Expect(place(got)).To(gomega.Equal(node), "node of the device of the %s claim", name)
		t.Expect(got.Status.Allocation.Devices.Results[0].Driver).To(gomega.Equal(driver), "driver of the %s claim", name)
		t.Expect(reserved(got, "pod")).To(gomega.BeTrue(), "the %s claim is reserved for the pod", name)
	}
}}
