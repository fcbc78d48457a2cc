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
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// PodBeingDeleted creates the template of a pod already being deleted.
var PodBeingDeleted = harness.Case{Meta: spec.Meta{
	ID:       "claims/pod-being-deleted",
	Checks:   "No claim is created for a pod being deleted when its template appears; other waiting pods get one.",
	Requires: []spec.RequirementID{"kep-4381/no-claim-for-deleted-pod", "kep-4381/template-creates-claim"},
	Needs:    spec.Needs{NoKubelet: true},
}, Run: func(t *harness.T) {
	class := devices(t, t.Nodes[0], 1)
	deleted := objects.PodFromTemplate("deleted", t.Image, "template")
	// On a node, since the claim of a pod deleted before scheduling is deleted immediately. The finalizer
	// keeps the pod until the case has ended.
	deleted.Spec.NodeName, deleted.Finalizers = t.Nodes[0], []string{"example.com/kept"}
	t.Create(deleted)
	t.WaitEvent("deleted", "FailedResourceClaimCreation", `"template" not found`)
	t.NoError(t.Client.CoreV1().Pods(t.Namespace).Delete(t.Context(), "deleted", metav1.DeleteOptions{}), "delete a pod")
	heldFromTemplate(t, "waiting", "template")
	t.WaitEvent("waiting", "FailedResourceClaimCreation", `"template" not found`) // the deletion of the other pod has been seen

	t.Create(objects.Template("template", objects.Claim("", objects.Request("req", class))))
	touch(t, "deleted") // each controller syncs this pod again before the next one
	waiting := generated(t, "waiting")
	heldFromTemplate(t, "later", "template")
	later := generated(t, "later")
	t.Expect(t.Claims()).To(gomega.ConsistOf(gomega.HaveField("Name", waiting.Name), gomega.HaveField("Name", later.Name)), "claims created from the template")
	// The kubelet keeps a pod without its generated claim, unless it needs none; see
	// node/claim-never-made.
	edit.PodStatus(t, "deleted", func(p *corev1.Pod) { p.Status.ResourceClaimStatuses = []corev1.PodResourceClaimStatus{{Name: "claim"}} })
}}
