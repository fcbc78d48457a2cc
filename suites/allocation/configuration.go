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

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Configuration has a claim and its classes bring configuration for several drivers and requests.
var Configuration = harness.Case{Meta: spec.Meta{
	ID:       "allocation/configuration",
	Checks:   "An allocation has the configuration of each class, then the claim's, for all drivers, with its requests.",
	Requires: []spec.RequirementID{"kep-4381/config-names-requests", "kep-4381/config-of-all-drivers-kept"},
	Needs:    spec.Needs{NoKubelet: true},
}, Run: func(t *harness.T) {
	const absent = "absent.example.com"
	mine := t.DriverName()
	class := t.CreateClass(func(c *resourceapi.DeviceClass) {
		c.Spec.Config = []resourceapi.DeviceClassConfiguration{
			objects.ClassParameters(mine, map[string]string{"a": "1"}), objects.ClassParameters(absent, map[string]string{"b": "2"}),
		}
	})
	other := objects.Class("other-"+mine, mine)
	other.Spec.Config = []resourceapi.DeviceClassConfiguration{objects.ClassParameters(mine, map[string]string{"c": "3"})}
	t.Create(other)
	t.Publish("pool", t.Nodes[0], profiles.FourDevices().Pools[0].Devices...)
	toAll, toTwo := objects.ClaimParameters(mine, map[string]string{"d": "4"}), objects.ClaimParameters(absent, map[string]string{"e": "5"})
	toBoth := objects.ClaimParameters(mine, map[string]string{"f": "6"})
	toTwo.Requests, toBoth.Requests = []string{"two"}, []string{"one", "two"}
	claim := objects.Claim("claim", objects.Request("one", class), objects.Request("two", other.Name), objects.Request("three", class))
	claim.Spec.Devices.Config = []resourceapi.DeviceClaimConfiguration{toAll, toTwo, toBoth}

	t.Expect(configurations(use(t, claim))).To(gomega.Equal([]string{
		`FromClass [one three] ` + mine + ` {"a":"1"}`, `FromClass [one three] ` + absent + ` {"b":"2"}`, `FromClass [two] ` + mine + ` {"c":"3"}`,
		`FromClaim [] ` + mine + ` {"d":"4"}`, `FromClaim [two] ` + absent + ` {"e":"5"}`,
		`FromClaim [one two] ` + mine + ` {"f":"6"}`,
	}), "configuration in the allocation")
}}

// configurations returns those of an allocated claim, each as "source [requests] driver parameters".
func configurations(claim *resourceapi.ResourceClaim) []string {
	var all []string
	for _, c := range claim.Status.Allocation.Devices.Config {
		all = append(all, fmt.Sprintf("%s %v %s %s", c.Source, c.Requests, c.Opaque.Driver, c.Opaque.Parameters.Raw))
	}
	return all
}
