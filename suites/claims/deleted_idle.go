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
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/scheduler"
	"github.com/dra-conformance/dratest/framework/issues"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// DeletedIdle deletes an allocated claim without consumers.
var DeletedIdle = harness.Case{Meta: spec.Meta{
	ID:       "claims/deleted-idle",
	Checks:   "An allocated claim without consumers keeps its device until it is deleted; another pod gets the device then.",
	Requires: []spec.RequirementID{"kep-4381/deleted-idle-claim-goes"},
	Needs:    spec.Needs{NoKubelet: true},
}, Run: func(t *harness.T) {
	class := devices(t, t.Nodes[0], 1)
	allocated(t, "idle", class)
	scheduler.AwaitSeen(t)
	t.Create(objects.Claim("next", objects.Request("req", class)), objects.Pod("next", t.Image, "next"))
	t.WaitUnschedulable("next", "cannot allocate all claims")

	t.Delete(t.Claim("idle"))
	t.WaitClaimGone("idle")
	t.WaitScheduled("next")
}}

// FinalizerRemoved removes the finalizer of an allocated claim, so that its deletion takes effect at once
// (kubernetes#140831).
var FinalizerRemoved = harness.Case{Meta: spec.Meta{
	ID:            "claims/finalizer-removed",
	Checks:        "The device of an allocated claim that is gone without being deallocated serves a waiting pod at once.",
	Requires:      []spec.RequirementID{"kep-4381/deallocation-seen", "kep-4381/claim-events-retry"},
	Needs:         spec.Needs{NoKubelet: true, Alone: true},
	SerialBecause: "Claims released by other cases wake all waiting pods.",
	KnownIssue:    issues.Known("kubernetes#140831"),
}, Run: func(t *harness.T) {
	class := devices(t, t.Nodes[0], 1)
	allocated(t, "idle", class)
	scheduler.AwaitSeen(t)
	t.Create(objects.Claim("next", objects.Request("req", class)), objects.Pod("next", t.Image, "next"))
	t.WaitUnschedulable("next", "cannot allocate all claims")

	_, err := t.Client.ResourceV1().ResourceClaims(t.Namespace).Patch(t.Context(), "idle", types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
	t.NoError(err, "remove the finalizer")
	t.Delete(t.Claim("idle"))
	t.WaitClaimGone("idle")
	if !t.OccursWithin(wakingTime, "the waiting pod to be scheduled", func(context.Context) (bool, string, error) {
		node := t.PodNow("next").Spec.NodeName
		return node != "", fmt.Sprintf("node %q", node), nil
	}) {
		t.KnownIssue("a pod waiting for the device is not scheduled within %s", wakingTime)
	}
}}

// wakingTime exceeds the maximal backoff of a pod with a few attempts; the scheduler retries all pods after 5 minutes.
const wakingTime = 15 * time.Second
