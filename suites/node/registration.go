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
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Registration registers plugins with invalid data. A driver with an unknown version besides a
// known one is registered, and called at an endpoint apart from its registration socket.
var Registration = harness.Case{Meta: spec.Meta{
	ID:     "node/registration",
	Checks: "The kubelet rejects drivers without a supported plugin API version or with an unknown plugin type, and reports why.",
	Requires: []spec.RequirementID{
		"plugin-api/no-common-version-refused", "plugin-api/registration-status-told", "kep-4381/registration-type", "plugin-api/endpoint-other-than-registration",
	},
	Needs:   spec.Needs{Profile: profiles.OneDevice()},
	Catches: []spec.MutantID{"driver-prepare-other-device"},
}, Run: func(t *harness.T) {
	t.Create(objects.Claim("claim", objects.Request("req", t.CreateClass(nil))))

	simdriver.Of(t).Disconnect()
	refusal := simdriver.Of(t).ConnectAnnouncing(spec.Announcement{Versions: []string{"v0alpha1.DRAPlugin"}})
	t.Expect(refusal).To(gomega.ContainSubstring("v0alpha1.DRAPlugin"), "why a driver with an unknown version is refused")

	simdriver.Of(t).Disconnect()
	refusal = simdriver.Of(t).ConnectAnnouncing(spec.Announcement{Type: "ResourcePlugin"})
	t.Expect(refusal).To(gomega.ContainSubstring("ResourcePlugin"), "why a driver of an unknown type is refused")

	simdriver.Of(t).Disconnect()
	simdriver.Of(t).Announce(spec.Announcement{Versions: []string{"v0alpha1.DRAPlugin", "v1.DRAPlugin"}})
	simdriver.Of(t).Connect()
	t.RunPod(objects.Pod("pod", t.Image, "claim"))
	t.Expect(t.Environment("pod", "main")).To(matchers.SeeOnlyDevices("device-0"), "the device")
	t.Expect(simdriver.Of(t).Calls(spec.Prepare, "claim")).To(gomega.And(gomega.HaveLen(1), gomega.HaveEach(gomega.HaveField("GRPC", spec.GRPCv1))),
		"NodePrepareResources calls, in the version known to both")
}}
