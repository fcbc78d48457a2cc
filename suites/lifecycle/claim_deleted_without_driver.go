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

package lifecycle

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/undertest"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ClaimDeletedWithoutDriver is about: kubernetes-sigs/dra-driver-nvidia-gpu#1278 and #340. It is
// fair to all kubelets.
var ClaimDeletedWithoutDriver = harness.Case{Meta: spec.Meta{
	ID:     "life/claim-deleted-without-driver",
	Checks: "The next driver process unprepares a claim force-deleted around a crash, and its device serves another pod.",
	Requires: []spec.RequirementID{
		"kubeletplugin/unprepare-without-claim", "kubeletplugin/other-process-unprepares", "kep-4381/unprepare-undoes-prepare",
	},
	Needs:         spec.Needs{Devices: 1, DriverPods: true, Disruption: true},
	SerialBecause: endsDriver,
}, Run: func(t *harness.T) {
	driver := undertest.Of(t)
	t.Create(objects.Claim("claim", t.Driver.Request("req")))
	node := t.RunPod(t.Pod("pod", "claim")).Spec.NodeName
	claim := t.WaitAllocated("claim")
	t.Driver.ExpectDevices("pod", "main", claim)

	// Before the pod, as the next process may come up at once.
	claims := t.Client.ResourceV1().ResourceClaims(t.Namespace)
	t.NoError(claims.Delete(t.Context(), "claim", metav1.DeleteOptions{}), "delete the claim")
	_, err := claims.Patch(t.Context(), "claim", types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
	t.NoError(err, "take the claim's finalizers away")
	t.WaitClaimGone("claim")
	driver.Kill(node)
	t.Delete(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "pod", Namespace: t.Namespace}}, harness.GracePeriod(0))
	t.WaitPodGone("pod")

	t.Driver.AwaitUnprepared()
	driver.ExpectNothingLeft(node, claim)
	again(t, claim, node)
	driver.Replace(node)
}}
