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
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/describe"
	"github.com/dra-conformance/dratest/framework/issues"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ClaimNeverMade deletes a pod bound to a node before its claim exists, for lack of a template.
var ClaimNeverMade = harness.Case{Meta: spec.Meta{
	ID:         "node/claim-never-made",
	Checks:     "A pod bound before its claim exists reports why it is not running, and can be deleted.",
	Requires:   []spec.RequirementID{"kep-4381/unprepare-each-prepared"},
	Needs:      spec.Needs{Profile: profiles.OneDevice()},
	WaitsFor:   waitsToTerminate,
	KnownIssue: issues.Known("claim-never-made"),
}, Run: func(t *harness.T) {
	pod := objects.PodFromTemplate("pod", t.Image, "template")
	pod.Spec.NodeName = t.Nodes[0]
	t.Create(pod)
	t.WaitEvent("pod", notPrepared, "not created yet")

	t.Delete(pod, harness.GracePeriod(time.Second))
	gone := t.OccursWithin(terminatedAgain, "the pod to be gone", func(ctx context.Context) (bool, string, error) {
		p, err := t.Client.CoreV1().Pods(t.Namespace).Get(ctx, "pod", metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return true, "no such pod", nil
		}
		return false, describe.Pod(p), err
	})
	if !gone {
		writeClaimStatuses(t, `[{"name":"claim"}]`) // no claim needed, otherwise the pod never terminates
		t.WaitPodGone("pod")
		t.KnownIssue("expected the pod to terminate within %s without its generated claim, and it did not", terminatedAgain)
	}
}}
