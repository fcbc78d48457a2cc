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
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// CapacityFractions has a range with decimal places.
var CapacityFractions = harness.Case{Meta: spec.Meta{
	ID:       "allocation/capacity-fractions",
	Checks:   "Minimum, maximum and step of a capacity range may have three decimal places.",
	Requires: []spec.RequirementID{"kep-5075/fractional-range"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.ConsumableCapacity, spec.FractionalCapacityRange}},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Publish("pool", t.Nodes[0], shared("device", map[string]resourceapi.DeviceCapacity{"cores": ranged("4", "0.5", "0.125", "2.125", "0.125")}))
	for name, row := range map[string][2]string{"min": {"0.001", "125m"}, "step": {"0.126", "250m"}, "exact": {"1.125", "1125m"}, "default": {"", "500m"}} {
		asks := map[string]string{}
		if row[0] != "" {
			asks["cores"] = row[0]
		}
		t.Expect(consumed(use(t, objects.Claim(name, capacity("req", class, asks))))).To(gomega.Equal([]string{"req=device cores:" + row[1]}), "capacity used by claim %s", name)
	}
	t.Expect(consumed(use(t, objects.Claim("rest", capacity("req", class, map[string]string{"cores": "1.999"}))))).To(gomega.Equal([]string{"req=device cores:2"}), "the rest")
	wait(t, objects.Claim("too-much", capacity("req", class, map[string]string{"cores": "2.126"})))
	wait(t, objects.Claim("used-up", capacity("req", class, map[string]string{"cores": "0.125"})))
}}
