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

package core

import (
	resourceapi "k8s.io/api/resource/v1"

	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// OneDevice is the scenario of the first DRA blog post: class, claim template with a parameter, pod,
// and a container seeing the parameter.
var OneDevice = harness.Case{Meta: spec.Meta{
	ID:       "core/one-device",
	Checks:   "A container sees its pod's device and claim parameter, prepared through the driver's newest plugin API.",
	Requires: []spec.RequirementID{"kep-4381/allocate-by-class", "kep-4381/prepare-before-start", "kep-4381/cdi-into-container", "kep-4381/newest-plugin-api", "kep-4381/both-plugin-apis"},
	Needs:    spec.Needs{Profile: profiles.OneDevice()},
	Catches:  spec.CatchableFor(spec.Prepare),
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	claim := objects.Claim("claim", objects.Request("req", class))
	claim.Spec.Devices.Config = []resourceapi.DeviceClaimConfiguration{
		objects.ClaimParameters(t.DriverName(), map[string]string{"a": "b"}),
	}
	t.Create(objects.Template("template", claim))

	pod := t.RunPod(objects.PodFromTemplate("pod", t.Image, "template"))

	env := t.Environment("pod", "main")
	t.Expect(env).To(matchers.SeeClaimParameter("a", "b"), "the claim's parameter")
	t.Expect(env).To(matchers.SeeDevices("claim", "req", "device-0"), "the allocated device")
	generated := *pod.Status.ResourceClaimStatuses[0].ResourceClaimName
	t.Expect(simdriver.Of(t).Calls(spec.Prepare, generated)).To(gomega.And(gomega.Not(gomega.BeEmpty()),
		gomega.HaveEach(gomega.HaveField("GRPC", simdriver.Of(t).GRPC()))), "NodePrepareResources calls, all in the newest version offered by the driver")
}}
