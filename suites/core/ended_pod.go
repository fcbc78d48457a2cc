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
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/onsi/ginkgo/v2"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/issues"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// EndedPod keeps a terminated pod and a running one with the same claim.
var EndedPod = harness.Case{Meta: spec.Meta{
	ID:         "core/ended-pod",
	Checks:     "A claim is never reserved again for a pod that has ended.",
	Requires:   []spec.RequirementID{"kep-4381/ended-pods-need-nothing"},
	Needs:      spec.Needs{Profile: profiles.OneDevice()},
	KnownIssue: issues.Known("kubernetes#141274"),
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Create(objects.Claim("claim", objects.Request("req", class)))
	user := t.RunPod(objects.Pod("user", t.Image, "claim"))
	ended := objects.Pod("ended", t.Image)
	ended.Spec.ResourceClaims = objects.Pod("", "", "claim").Spec.ResourceClaims
	ended.Spec.Containers = []corev1.Container{objects.Container("main", t.Image, objects.ShowAndEnd, "claim")}
	t.Create(ended)
	waitSucceeded(t, "ended")
	t.WaitClaim("claim", "not reserved for the terminated pod", func(c *resourceapi.ResourceClaim) bool { return !reservedFor(c, "ended") })

	// The controller reserves for pods already on a node, so it has processed this claim each time.
	for i := range 5 {
		next := objects.Pod(fmt.Sprintf("next-%d", i), t.Image, "claim")
		next.Spec.NodeName = user.Spec.NodeName
		t.Create(next)
		again := false
		t.WaitClaim("claim", "reserved for pod "+next.Name, func(c *resourceapi.ResourceClaim) bool {
			again = again || reservedFor(c, "ended")
			return again || reservedFor(c, next.Name)
		})
		if again {
			t.KnownIssue("expected the claim to be reserved for running pods only, got a reservation for terminated pod ended")
			return
		}
	}
}}

func reservedFor(claim *resourceapi.ResourceClaim, pod string) bool {
	return slices.ContainsFunc(claim.Status.ReservedFor, func(c resourceapi.ResourceClaimConsumerReference) bool { return c.Name == pod })
}

// waitSucceeded waits until all containers of a pod have succeeded.
func waitSucceeded(t *harness.T, name string) {
	ginkgo.GinkgoHelper()
	t.WaitPod(name, "succeeded", func(p *corev1.Pod) (bool, error) {
		if p.Status.Phase == corev1.PodFailed {
			return false, errors.New("it has failed")
		}
		return p.Status.Phase == corev1.PodSucceeded, nil
	})
}
