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

package allocation

import (
	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/scheduler"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// PoolOrder publishes several pools; the first one by name has binding conditions.
var PoolOrder = harness.Case{Meta: spec.Meta{
	ID:       "allocation/pool-order",
	Checks:   "Pools are tried in the order of their names, those with binding conditions last.",
	Requires: []spec.RequirementID{"kubeletplugin/pool-order", "kep-5007/unused-without-effect", "kep-5007/node-local-first"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.BindingConditions, spec.DeviceStatus}},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	slow := device("slow", nil)
	slow.BindingConditions, slow.BindingFailureConditions = []string{profiles.Attached}, []string{profiles.AttachFailed}
	t.Publish("c", t.Nodes[0], device("last", nil))
	t.Publish("a", t.Nodes[0], slow)
	t.Publish("b", t.Nodes[0], device("first", nil))
	scheduler.AwaitSeen(t) // with two of the pools alone, the one with conditions is right

	t.Expect(results(use(t, objects.Claim("two", count("req", class, 2))))).To(gomega.Equal([]string{"req=b/first", "req=c/last"}), "devices without conditions")
	t.Create(objects.Claim("one", objects.Request("req", class)), objects.Pod("one", t.Image, "one"))
	t.Expect(results(t.WaitAllocated("one"))).To(gomega.Equal([]string{"req=a/slow"}), "remaining device")
	t.WaitEvent("one", "BindingConditionsPending", "")
	t.Expect(t.Events("two")).NotTo(gomega.ContainElement(gomega.ContainSubstring("BindingConditions")), "events of the pod without anything to wait for")
}}
