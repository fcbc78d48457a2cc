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

package claims

import (
	"fmt"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/controlplane"
	"github.com/dra-conformance/dratest/framework/issues"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// RecreatedMeanwhile replaces a claim while its allocation is being written: the new claim has the same
// name and request name, and selects another device.
var RecreatedMeanwhile = harness.Case{Meta: spec.Meta{
	ID:         "claims/recreated-meanwhile",
	Checks:     "A claim recreated while the allocation of its predecessor is being written gets an allocation of its own.",
	Requires:   []spec.RequirementID{"kep-4381/recreated-claim-allocated-anew"},
	Needs:      spec.Needs{NoKubelet: true, OneAPIServer: true},
	KnownIssue: issues.Known("recreated-claim-allocation"),
}, Run: func(t *harness.T) {
	class := devices(t, t.Nodes[0], 3)
	claim := func(device int) *resourceapi.ResourceClaim {
		return objects.Claim("claim", objects.Request("req", class, fmt.Sprintf("%s == %d", t.Attribute(profiles.Index), device)))
	}
	old := claim(1)
	hold := allocating(t, old)
	t.Delete(old)
	t.WaitClaimGone("claim")
	t.Create(claim(2))
	controlplane.Release(t, hold)
	pod := t.WaitScheduled("pod")
	got := t.Claim("claim")
	t.Expect(got).To(matchers.BeReservedFor(pod), "consumers of the new claim")
	if a := got.Status.Allocation; a != nil && len(a.Devices.Results) == 1 && a.Devices.Results[0].Device == "device-1" {
		t.KnownIssue("expected device-2 for the new claim, got device-1 of its predecessor")
		return
	}
	t.Expect(got).To(matchers.HaveDevices("device-2"), "device of the new claim")
}}
