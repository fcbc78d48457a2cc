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
	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// RegistrationFailed fails the kubelet's first GetInfo call.
var RegistrationFailed = harness.Case{Meta: spec.Meta{
	ID:       "node/registration-failed",
	Checks:   "The kubelet retries registration after a failed GetInfo call.",
	Requires: []spec.RequirementID{"plugin-api/registration-asked-again"},
	Needs:    spec.Needs{Profile: profiles.OneDevice()},
	NoMutant: "the caller is Kubernetes' own plugin manager (pkg/kubelet/pluginmanager), not replaced by this project",
}, Run: registersAfter(spec.GetInfo)}

// RegistrationNotHeard fails the kubelet's first NotifyRegistrationStatus call.
var RegistrationNotHeard = harness.Case{Meta: spec.Meta{
	ID:       "node/registration-not-heard",
	Checks:   "The kubelet retries registration after a failed NotifyRegistrationStatus call.",
	Requires: []spec.RequirementID{"plugin-api/registration-told-again"},
	Needs:    spec.Needs{Profile: profiles.OneDevice(), Since: "1.36"},
}, Run: registersAfter(spec.NotifyRegistrationStatus)}

// registersAfter returns a case with one failing call during the driver's registration.
func registersAfter(call spec.Method) func(t *harness.T) {
	return func(t *harness.T) {
		t.Create(objects.Claim("claim", objects.Request("req", t.CreateClass(nil))))
		simdriver.Of(t).Disconnect()
		simdriver.Of(t).Announce(spec.Announcement{Fails: []spec.Method{call}})

		simdriver.Of(t).Connect()

		t.Expect(simdriver.Of(t).Status().RegistrationFailed).To(gomega.ConsistOf(call), "calls failed by the driver")
		t.RunPod(objects.OnlyOn(objects.Pod("pod", t.Image, "claim"), t.Nodes[0]))
		t.Driver.ExpectDevices("pod", "main", t.Claim("claim"))
		t.RemovePod("pod")
		t.Driver.AwaitUnprepared()
	}
}
