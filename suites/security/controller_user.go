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

// byController is true for the service accounts of Kubernetes' controller of claims and of
// this project's, which have no rights but those of one role, and for what all controllers
// are where they have no accounts of their own (--use-service-account-credentials). A claim
// may also go because its pod, which owns it, is gone.
const (
	byController = `request.userInfo.username in ["system:serviceaccount:kube-system:resource-claim-controller", ` +
		`"system:serviceaccount:kube-system:dra-controller-manager", "system:kube-controller-manager"]`
	byOwnership = byController + ` || request.userInfo.username == "system:serviceaccount:kube-system:generic-garbage-collector"`
)

// ControllerUser lets nobody but the controller's own service account make claims, and
// nobody but that and the garbage collector delete them.
var ControllerUser = harness.Case{Meta: spec.Meta{
	ID: "security/controller-user",
	Checks: "With nothing but the rights of its own service account the controller makes the claim of a pod from a template, names it in the pod's status, and it is gone with " +
		"the pod.",
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
