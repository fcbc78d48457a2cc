package node

import (
	"context"
	"fmt"
	"time"

	"github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// terminatedAgain is within what a kubelet has tried again to terminate a pod.
const terminatedAgain = 45 * time.Second

// StatusWithoutClaims takes the names of generated claims from the status of a pod that ends, as
// programs do that write statuses and know no claims.
var StatusWithoutClaims = harness.Case{Meta: spec.Meta{
	ID: "node/status-without-claims",
	Checks: "A pod that ends with a claim from a template has it unprepared, and is gone as its claim is, also when the pod's status does not name the claim any more as " +
		"the driver is asked again.",
	Requires: []spec.RequirementID{"kep-4381/unprepare-each-prepared", "kep-4381/unprepare-retried"},
	Needs:    spec.Needs{Profile: profiles.OneDevice()},
	Catches:  []spec.MutantID{"driver-unprepare-nothing-done"},
	WaitsFor: waitsToTerminate,
	KnownIssue: &spec.KnownIssue{
		Issue: "kubernetes#139772", Component: spec.Kubelet, Through: "1.36.4", Review: "2027-01-31",
		Does: "The claims that a pod has prepared are looked for in its status: without their names there it terminates for ever, and no driver is called.",
	},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Create(objects.Template("template", objects.Claim("", objects.Request("req", class))))
	pod := t.RunPod(objects.PodFromTemplate("pod", t.Image, "template"))
	claim := *pod.Status.ResourceClaimStatuses[0].ResourceClaimName
	t.Driver.Fail(spec.Fault{Method: spec.Unprepare, Kind: spec.FaultClaimError, Message: "out of coffee"})

	// The first try is to fail, and the controller leaves the status of such a pod alone.
	t.Delete(pod, harness.GracePeriod(time.Second))
	t.Driver.AwaitCalls(spec.Unprepare, claim, "one that failed", func(calls []spec.Call) bool { return len(calls) > 0 })
	writeClaimStatuses(t, "[]")
	failed := len(t.Driver.Calls(spec.Unprepare, claim))
	again := t.Within(terminatedAgain, "the driver to be asked again", func(context.Context) (bool, string, error) {
		calls := len(t.Driver.Calls(spec.Unprepare, claim))
		return calls > failed, fmt.Sprintf("%d calls, %d when the status was written", calls, failed), nil
	})
	t.Get(pod)
	t.Expect(pod.Status.ResourceClaimStatuses).To(gomega.BeEmpty(), "names of generated claims in the pod's status")
	t.Driver.Fail()
	if !again {
		writeClaimStatuses(t, fmt.Sprintf(`[{"name":"claim","resourceClaimName":%q}]`, claim)) // else it never ends
		t.KnownIssue("no driver was asked again to unprepare a claim that the pod's status did not name any more")
	}

	t.WaitPodGone("pod")
	calls := t.Driver.Calls(spec.Unprepare, claim)
	t.Expect(calls[len(calls)-1].Claims[0].Error).To(gomega.BeEmpty(), "what was said last about the claim")
	t.Driver.AwaitUnprepared()
	t.WaitClaimGone(claim)
}}

// writeClaimStatuses replaces what the pod's status says of generated claims, also with none.
func writeClaimStatuses(t *harness.T, list string) {
	t.Step("write %s as what the pod's status says of its claims", list)
	patch := fmt.Appendf(nil, `{"status":{"resourceClaimStatuses":%s}}`, list)
	_, err := t.Client.CoreV1().Pods(t.Namespace).Patch(t.Context(), "pod", types.MergePatchType, patch, metav1.PatchOptions{}, "status")
	t.NoError(err, "write the pod's status")
}
