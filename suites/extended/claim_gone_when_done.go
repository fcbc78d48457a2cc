package extended

import (
	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ClaimGoneWhenDone lets a pod with an extended resource end.
var ClaimGoneWhenDone = harness.Case{Meta: spec.Meta{
	ID:       "extended/claim-gone-when-done",
	Checks:   "When a pod has ended, the claim for its extended resources is unprepared and deleted although the pod is still there.",
	Requires: []spec.RequirementID{"kep-5004/claim-gone-with-pod"},
	Needs:    spec.Needs{Features: []spec.Feature{spec.ExtendedResource}, Profile: profiles.OneDevice()},
	Catches:  []spec.MutantID{"driver-unprepare-nothing-done"},
}, Run: func(t *harness.T) {
	resource := createClass(t)
	pod := objects.PodWanting("pod", t.Image, map[string]int64{resource: 1})
	pod.Spec.Containers[0].Command = objects.Container("", "", objects.ShowAndEnd).Command

	t.Create(pod)

	done := t.WaitSucceeded("pod")
	t.Expect(done.Status.ExtendedResourceClaimStatus).NotTo(gomega.BeNil(), "the claim in the pod's status")
	claim := done.Status.ExtendedResourceClaimStatus.ResourceClaimName
	t.Expect(t.Driver.Calls(spec.Prepare, claim)).NotTo(gomega.BeEmpty(), "NodePrepareResources calls for the claim")
	t.WaitClaimGone(claim)
	t.Driver.AwaitUnprepared()
	t.Get(pod)
	t.Expect(pod.UID).To(gomega.Equal(done.UID), "the pod is still there")
	t.Expect(pod.DeletionTimestamp).To(gomega.BeNil(), "the pod is not being deleted")
}}
