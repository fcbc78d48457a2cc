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
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/spec"
)

// notFound is about: KEP-4381, NodePrepareResources. The plugin library reports it in the message,
// without the gRPC code.
var notFound = Check{Meta: spec.Meta{
	ID:       "sanity/not-found",
	Checks:   "Prepare of a missing claim fails with NotFound, as gRPC code or in words.",
	Requires: []spec.RequirementID{"kep-4381/not-found-code"},
}, Source: "KEP-4381, NodePrepareResources", Run: func(t *T) {
	claim := t.One(t.Devices(1)[0])
	t.Delete(claim)
	answers, err := t.prepare(t.ctx, claim)
	why, problem := refusal(claim, answers, err)
	switch {
	case problem != "":
		t.Failf("prepare a claim that does not exist: %s", problem)
	case why == "":
		t.Failf("prepare succeeds for a claim that does not exist")
	case status.Code(err) == codes.NotFound:
	case saysNotFound(why, claim):
		t.Notef("says %q with code %s; KEP-4381 requires %s, not returned by the library", why, status.Code(err), codes.NotFound)
	default:
		t.Failf("prepare a claim that does not exist: code %s, and the message does not say the claim was not found: %s", status.Code(err), why)
	}
}}

// saysNotFound reports whether a message is about a missing claim, as opposed to a file or a device:
// it must have the claim's name, or at least the kind. If the API server serves only some versions of
// the API, the library reports "could not find the requested resource": its client tries all versions
// and returns the last answer (k8s.io/dynamic-resource-allocation v0.37.1 client/generic.go).
func saysNotFound(why string, claim *resourceapi.ResourceClaim) bool {
	lower := strings.ToLower(why)
	if !strings.Contains(lower, "not found") && !strings.Contains(lower, "could not find the requested resource") {
		return false
	}
	return strings.Contains(why, claim.Name) || strings.Contains(why, string(claim.UID)) || strings.Contains(lower, "resourceclaim")
}
