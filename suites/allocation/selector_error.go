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
	"fmt"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/harness/scheduler"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// SelectorError has a selector failing for the device of one node and selecting the device of another
// one.
var SelectorError = harness.Case{Meta: spec.Meta{
	ID:       "allocation/selector-error",
	Checks:   "A selector error on one node's device keeps the pod from all nodes, and the pod's status names claim or class.",
	Requires: []spec.RequirementID{"kep-4381/cel-error-reported"},
	Needs:    spec.Needs{NoKubelet: true, Nodes: 2},
}, Run: func(t *harness.T) {
	is := func(attribute string, i int) string { return fmt.Sprintf("%s == %d", t.Attribute(attribute), i) }
	row := func(i int, selectors ...string) string {
		class := objects.Class(fmt.Sprintf("row-%d-%s", i, t.DriverName()), t.DriverName())
		for _, selector := range append([]string{is("row", i)}, selectors...) {
			class.Spec.Selectors = append(class.Spec.Selectors, objects.Selector(selector))
		}
		t.Create(class)
		return class.Name
	}
	ofClass := row(1, is("slot", 1))
	rows := []struct {
		claim *resourceapi.ResourceClaim
		want  string
	}{
		{objects.Claim("of-request", objects.Request("req", row(0), is("slot", 1))), "of-request: selector #"},
		{objects.Claim("of-class", objects.Request("req", ofClass)), "class " + ofClass + ": selector #"},
	}
	fails := make([]*resourceapi.ResourceSlice, len(rows))
	for i, r := range rows {
		fails[i] = t.Publish(r.claim.Name+"-fails", t.Nodes[0], device("a", map[string]any{"row": i}))
		t.Publish(r.claim.Name+"-selected", t.Nodes[1], device("b", map[string]any{"row": i, "slot": 1}))
	}
	scheduler.AwaitSeen(t)
	for _, r := range rows {
		t.Create(r.claim, objects.Pod(r.claim.Name, t.Image, r.claim.Name))
	}
	for i, r := range rows {
		name := r.claim.Name
		t.WaitUnschedulable(name, r.want)
		t.WaitEventTimes(name, "FailedScheduling", r.want, 2)
		t.Expect(t.Claim(name).Status.Allocation).To(gomega.BeNil(), "allocation while the selector fails on another node")

		edit.Slice(t, fails[i].Name, func(s *resourceapi.ResourceSlice) {
			s.Spec.Devices = []resourceapi.Device{device("a", map[string]any{"row": i, "slot": 2})}
		})
		t.Expect(results(used(t, name))).To(gomega.ConsistOf("req="+name+"-selected/b"), "device once the selector does not fail")
	}
}}
