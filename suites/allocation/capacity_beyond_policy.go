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

// CapacityBeyondPolicy requests more than policies allow, and more than devices have.
var CapacityBeyondPolicy = harness.Case{Meta: spec.Meta{
	ID:       "allocation/capacity-beyond-policy",
	Checks:   "A request beyond a capacity's policy or size does not get the device; the maximum is allocated.",
	Requires: []spec.RequirementID{"kep-5075/beyond-policy-not-allocated"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.ConsumableCapacity}},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	for i, row := range []struct {
		capacity     resourceapi.DeviceCapacity
		most, beyond string
	}{
		{ranged("100", "5", "4", "50", ""), "50", "51"},
		{ranged("100", "5", "5", "45", "10"), "45", "46"},
		{listed("2", "5", "20"), "20", "21"},
		{amount("100"), "100", "101"},
	} {
		name := fmt.Sprintf("row-%d", i)
		amount := fmt.Sprintf("amount%d", i)
		t.Publish(name, t.Nodes[0], shared(name, map[string]resourceapi.DeviceCapacity{amount: row.capacity}))
		most := use(t, objects.Claim("most-"+name, capacity("req", class, map[string]string{amount: row.most})))
		t.Expect(consumed(most)).To(gomega.Equal([]string{"req=" + name + " " + amount + ":" + row.most}), "capacity used by the largest request")
		release(t, most.Name)
		wait(t, objects.Claim("beyond-"+name, capacity("req", class, map[string]string{amount: row.beyond})))
	}
	wait(t, objects.Claim("unknown", capacity("req", class, map[string]string{"unknown": "1"})))
}}
