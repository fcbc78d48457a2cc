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

package security

import (
	"context"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/admission"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// byController matches the claim controllers' service accounts, Kubernetes' and this project's,
// limited to one role. Without --use-service-account-credentials it matches
// kube-controller-manager. A claim may also be deleted with the pod owning it.
const (
	byController = `request.userInfo.username in ["system:serviceaccount:kube-system:resource-claim-controller", ` +
		`"system:serviceaccount:kube-system:dra-controller-manager", "system:kube-controller-manager"]`
	byOwnership = byController + ` || request.userInfo.username == "system:serviceaccount:kube-system:generic-garbage-collector"`
)

// ControllerUser allows only the controller's service account to create claims, and only this
// account and the garbage collector to delete them.
var ControllerUser = harness.Case{Meta: spec.Meta{
	ID:       "security/controller-user",
	Checks:   "The claim controller creates, records and deletes generated claims with only its own service account's rights.",
	Requires: []spec.RequirementID{"kep-4381/controller-permissions"},
	Needs:    spec.Needs{NoKubelet: true},
}, Run: func(t *harness.T) {
	claims := t.Client.ResourceV1().ResourceClaims(t.Namespace)
	dry := []string{metav1.DryRunAll}
	t.Create(objects.Claim("mine", objects.Request("req", "class")), objects.Template("template", objects.Claim("", objects.Request("req", "class"))))
	admission.Refuse(t, admissionv1.Create, resourceapi.GroupName, "resourceclaims", byController, func(ctx context.Context) error {
		_, err := claims.Create(ctx, objects.Claim("attempt", objects.Request("req", "class")), metav1.CreateOptions{DryRun: dry})
		return err
	})
	pod := objects.PodFromTemplate("pod", t.Image, "template")
	pod.Spec.SchedulerName = "none.example.com"
	admission.Refuse(t, admissionv1.Delete, resourceapi.GroupName, "resourceclaims", byOwnership, func(ctx context.Context) error {
		return claims.Delete(ctx, "mine", metav1.DeleteOptions{DryRun: dry})
	})

	t.Create(pod)
	generated := ""
	t.WaitPod("pod", "given its claim", func(p *corev1.Pod) (bool, error) {
		if len(p.Status.ResourceClaimStatuses) == 1 && p.Status.ResourceClaimStatuses[0].ResourceClaimName != nil {
			generated = *p.Status.ResourceClaimStatuses[0].ResourceClaimName
		}
		return generated != "", nil
	})
	t.RemovePod("pod")
	t.WaitClaimGone(generated)
}}
