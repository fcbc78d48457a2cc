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

package sanity

import (
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/dra-conformance/dratest/framework/spec"
)

// claimNotThere is about: kubeletplugin.DRAPlugin.
var claimNotThere = Check{Meta: spec.Meta{
	ID:       "sanity/claim-not-there",
	Checks:   "A claim is not prepared if it is not allocated, has another UID, or has been deleted.",
	Requires: []spec.RequirementID{"kubeletplugin/unallocated-claim-refused", "kep-4381/error-is-not-ok"},
}, Source: "kubeletplugin.DRAPlugin", Run: func(t *T) {
	refused := func(claim *resourceapi.ResourceClaim, what string) {
		if answer, why := t.Try(claim, what); why == "" {
			t.Failf("prepare says success with %d devices for %s", len(answer.GetDevices()), what)
		}
	}
	device := t.Devices(1)[0]
	refused(t.unallocated(nil, Want{Device: device, Request: "req"}), "an unallocated claim")
	claim := t.One(device)
	other := claim.DeepCopy()
	other.UID = uuid.NewUUID()
	refused(other, "a claim known to the API server with another UID")
	t.Delete(claim)
	refused(claim, "a deleted claim")
}}
