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

// OtherScheduler has pods for kube-scheduler, and a device in a ResourceSlice.
var OtherScheduler = harness.Case{Meta: spec.Meta{
	ID:     "classic/other-scheduler",
	Checks: "A scheduler without classic DRA leaves a pod with a delayed claim pending; an event of the driver says why.",
	Requires: []spec.RequirementID{"kep-3063/allocated-before-scheduled", "kep-3063/only-users-scheduled", "article-126/not-scheduled-without-all",
		"kep-3063/selected-node-set"},
	Needs: needs(1),
}, Run: func(t *harness.T) {
	c := classicdra.Start(t)
	d := c.Driver(classicdra.DriverConfig{Devices: 1})
	t.Publish(t.Nodes[0], t.Nodes[0], resourceapi.Device{Name: "device-0"})
	t.Create(claim("claim", d.Class("", nil), nil), objects.OnlyOn(objects.Pod("other", t.Image, "claim"), t.Nodes...))
	t.WaitUnschedulable("other", "")
	t.WaitEvent("other", "WaitingForScheduler", "has no classic DRA")
	unallocated(t, "claim")
	t.Expect(held(t.Claim("claim"), d)).To(gomega.BeFalse(), "the driver holds something for the claim")
	t.Create(c.Pod("pod", "claim"))
	t.WaitScheduled("pod")
	t.Expect(reserved(t.Claim("claim"), "pod")).To(gomega.BeTrue(), "the claim is reserved for the pod with the right scheduler")
}}
