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

package node

import (
	"fmt"

	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// OneConnection counts the kubelet's connections to a driver.
var OneConnection = harness.Case{Meta: spec.Meta{
	ID:       "node/one-connection",
	Checks:   "The kubelet reuses its first connection to a driver for all later calls.",
	Requires: []spec.RequirementID{"kep-4381/one-connection-per-driver"},
	Needs:    spec.Needs{Profile: profiles.OneDevice()},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	connections := int64(0)
	for i := range 4 {
		name := fmt.Sprintf("pod-%d", i)
		t.Create(objects.Claim(name, objects.Request("req", class)))
		t.RunPod(objects.Pod(name, t.Image, name))
		t.RemovePod(name)
		t.Driver.AwaitUnprepared()
		t.WaitDeallocated(name)
		if i == 0 {
			connections = simdriver.Of(t).Status().Connections
			t.Expect(connections).To(gomega.BeNumerically(">", 0), "connections for the first claim")
		}
	}
	t.Expect(simdriver.Of(t).Status().Connections).To(gomega.Equal(connections), "connections after three more claims")
}}
