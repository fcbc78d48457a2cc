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
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ConfigurationIgnored asks the same with and without configuration.
var ConfigurationIgnored = harness.Case{Meta: spec.Meta{
	ID:       "allocation/configuration-ignored",
	Checks:   "Configuration of claims and classes does not influence the choice of devices.",
	Requires: []spec.RequirementID{"kep-4381/config-ignored-by-scheduler"},
	Needs:    spec.Needs{NoKubelet: true},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	configured := objects.Class("configured-"+t.DriverName(), t.DriverName())
	configured.Spec.Config = []resourceapi.DeviceClassConfiguration{objects.ClassParameters(t.DriverName(), map[string]string{"device": "device-1"})}
	t.Create(configured)
	t.Publish("pool", t.Nodes[0], profiles.Device(0, "a", "8Gi"), profiles.Device(1, "a", "8Gi"))

	for name, class := range map[string]string{"plain": class, "of-class": configured.Name, "of-claim": class} {
		claim := objects.Claim(name, objects.Request("req", class))
		if name == "of-claim" {
			claim.Spec.Devices.Config = []resourceapi.DeviceClaimConfiguration{objects.ClaimParameters(t.DriverName(), map[string]string{"device": "device-1"})}
		}
		t.Expect(use(t, claim)).To(matchers.HaveDevices("device-0"), "device of claim %s", name)
		release(t, name)
	}
}}
