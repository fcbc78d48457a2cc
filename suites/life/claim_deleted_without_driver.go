package life

import (
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/e2e-framework/klient/k8s/resources"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ClaimDeletedWithoutDriver is about: kubernetes-sigs/dra-driver-nvidia-gpu#1278 and #340. It
// is fair on all kubelets.
var ClaimDeletedWithoutDriver = harness.Case{Meta: spec.Meta{
	ID:     "life/claim-deleted-without-driver",
	Checks: "A claim that is deleted by force, with its pod, when the driver's process has just been killed, is unprepared by the next one, and its device serves another pod.",
	Requires: []spec.RequirementID{
		"kubeletplugin/unprepare-without-claim", "kubeletplugin/other-process-unprepares", "kep-4381/unprepare-undoes-prepare",
	},
	Needs:         spec.Needs{Devices: 1, Installed: true, Disruption: true},
	SerialBecause: endsDriver,
}, Run: func(t *harness.T) {
	driver := t.Installed()
	t.Create(objects.Claim("claim", t.Request("req")))
	node := t.RunPod(t.Pod("pod", "claim")).Spec.NodeName
	claim := t.WaitAllocated("claim")
	t.ExpectDevices("pod", "main", claim)

	driver.Kill(node)
	at := metav1.ObjectMeta{Namespace: t.Namespace}
	pod, gone := &corev1.Pod{ObjectMeta: at}, &resourceapi.ResourceClaim{ObjectMeta: at}
	pod.Name, gone.Name = "pod", "claim"
	t.Delete(pod, resources.WithGracePeriod(0))
	t.WaitPodGone("pod")
	t.Delete(gone)
	t.WaitClaimGone("claim")

	t.AwaitNothingPrepared()
	driver.ExpectNothingLeft(node, claim)
	again(t, claim, node)
	driver.Replace(node)
}}
