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
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// CapacityRounding requests amounts other than those allowed by a device's policies.
var CapacityRounding = harness.Case{Meta: spec.Meta{
	ID:     "allocation/capacity-rounding",
	Checks: "Consumed capacity is the request rounded up by the policy, its default, or all of it without policy and request.",
	Requires: []spec.RequirementID{
		"kep-5075/rounded-to-min", "kep-5075/rounded-to-step", "kep-5075/rounded-to-valid-value", "kep-5075/range-without-step", "kep-5075/policy-default-used",
		"kep-5075/no-policy-any-amount", "kep-5075/consumed-recorded", "kep-5075/consumed-all-listed",
	},
	Needs: spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.ConsumableCapacity}},
}, Run: func(t *harness.T) {
	rows := []struct {
		capacity   resourceapi.DeviceCapacity
		asks, uses string
	}{
		{ranged("8Gi", "2Gi", "1Gi", "", "1Gi"), "1", "1Gi"},
		{ranged("8Gi", "2Gi", "1Gi", "", "1Gi"), "1Gi", "1Gi"},
		{ranged("8Gi", "2Gi", "1Gi", "", "1Gi"), "1073741825", "2Gi"},
		{ranged("8Gi", "2Gi", "1Gi", "", "1Gi"), "3Gi", "3Gi"},
		{ranged("8Gi", "2Gi", "1Gi", "", "1Gi"), "", "2Gi"},
		{ranged("100", "7", "4", "", "3"), "8", "10"},
		{ranged("100", "7", "4", "", "3"), "10", "10"},
		{ranged("100", "5", "4", "50", ""), "7", "7"},
		{ranged("100", "5", "4", "50", ""), "50", "50"},
		{ranged("100", "5", "4", "50", ""), "3", "4"},
		{listed("2", "5", "20"), "3", "5"},
		{listed("2", "5", "20"), "5", "5"},
		{listed("2", "5", "20"), "6", "20"},
		{listed("2", "5", "20"), "", "2"},
		{amount("100"), "33", "33"},
		{amount("100"), "100", "100"},
		{amount("100"), "", "100"},
	}
	var devices []resourceapi.Device
	var requests []resourceapi.DeviceRequest
	var want []string
	class := t.CreateClass(nil)
	for i, row := range rows {
		name := fmt.Sprintf("row-%d", i)
		d := shared(name, map[string]resourceapi.DeviceCapacity{"amount": row.capacity, "other": ranged("10", "3", "1", "", "")})
		d.Attributes = device("", map[string]any{"row": i}).Attributes
		asks := map[string]string{}
		if row.asks != "" {
			asks["amount"] = row.asks
		}
		request := capacity(name, class, asks)
		request.Exactly.Selectors = []resourceapi.DeviceSelector{objects.Selector(fmt.Sprintf("%s == %d", t.Attribute("row"), i))}
		devices, requests, want = append(devices, d), append(requests, request), append(want, name+"="+name+" amount:"+row.uses+" other:3")
	}
	t.Publish("pool", t.Nodes[0], devices...)

	t.Expect(consumed(use(t, objects.Claim("claim", requests...)))).To(gomega.Equal(want), "capacity used by each request")
}}
