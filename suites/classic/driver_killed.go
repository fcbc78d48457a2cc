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
	"time"

	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/classicdra"
	"github.com/dra-conformance/dratest/framework/spec"
)

// DriverKilled kills the driver before it answers, and during allocation.
var DriverKilled = harness.Case{Meta: spec.Meta{
	ID:       "classic/driver-killed",
	Checks:   "Pods wait while their driver is down; a driver killed before answering or while allocating resumes after restart.",
	Requires: []spec.RequirementID{"kep-3063/failed-steps-retried", "kep-3063/controller-watches-claims", "kep-3063/claim-status-kept", "article-126/scheduling-object-created"},
	Needs:    needs(2),
}, Run: func(t *harness.T) {
	c := classicdra.Start(t)
	d := c.Driver(classicdra.DriverConfig{Devices: 2, Takes: 5 * time.Second})
	class := d.Class("", nil)
	d.Kill()
	t.Create(claim("claim", class, nil), c.Pod("pod", "claim"))
	said := c.WaitPodScheduling("pod", "there", exists)
	t.Expect(said.UnsuitableNodes).To(gomega.BeEmpty(), "responses of a stopped driver")
	t.WaitUnschedulable("pod", "waiting for resource drivers")
	d.Begin(nil)
	c.WaitClassicClaim("claim", "begun", func(r *classicdra.ClassicClaim) bool { return r != nil })
	d.Kill()
	unallocated(t, "claim")
	d.Begin(func(d *classicdra.DriverConfig) { d.Takes = 0 })
	node := t.WaitScheduled("pod").Spec.NodeName
	t.Expect(place(t.Claim("claim"))).To(gomega.Equal(node), "node of the device")
	t.Expect(d.Held()).To(gomega.HaveLen(1), "devices allocated to claims")
}}
