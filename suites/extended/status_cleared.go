package extended

import (
	"context"
	"fmt"
	"time"

	"github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/admission"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// clearingTime is how long the pod's status may name a claim that is gone.
const clearingTime = 5 * time.Second

// StatusCleared has the API server refuse to bind a pod.
var StatusCleared = harness.Case{Meta: spec.Meta{
	ID: "extended/status-cleared",
	Checks: "When a pod with an extended resource could not be bound, its special claim is removed and the pod's status does not name it any more; when it is bound its status " +
		"names the claim that it has then.",
	Requires: []spec.RequirementID{"kep-5004/status-cleared-with-claim", "kep-5004/claim-gone-if-not-scheduled"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.ExtendedResource}},
	KnownIssue: &spec.KnownIssue{
		Issue: "pkg/registry/core/pod/strategy.go", Component: spec.APIServer, Through: "1.37", Review: "2027-01-31",
		Does: "A status that does not name a special claim any more is stored with the one that it named before.",
	},
}, Run: func(t *harness.T) {
	one := map[string]int64{createClass(t): 1}
	t.Publish("pool", t.Nodes[0], deviceOf("device-0"))
	unseen := unscheduled(objects.PodWanting("unseen", t.Image, one))
	t.Create(unseen)
	noBinding := writes(t)["binding"](unseen)
	t.Create(objects.PodWanting("pod", t.Image, one))
	t.WaitEvent("pod", "FailedScheduling", noBinding.Message)

	t.Poll("the special claim to be gone", func(context.Context) (bool, string, error) {
		claims := special(t)
		return len(claims) == 0, fmt.Sprint(claims), nil
	})
	cleared := t.Within(clearingTime, "neither a special claim to be there nor the pod's status to name one", func(ctx context.Context) (bool, string, error) {
		pod, err := t.Client.CoreV1().Pods(t.Namespace).Get(ctx, "pod", metav1.GetOptions{})
		if err != nil {
			return false, "", err
		}
		claims, named := special(t), pod.Status.ExtendedResourceClaimStatus
		return len(claims) == 0 && (named == nil || named.ResourceClaimName == ""), fmt.Sprintf("claims %v, status %v", claims, named), nil
	})
	admission.Accept(t, noBinding)
	pod := t.WaitScheduled("pod")
	t.Expect(special(t)).To(gomega.ConsistOf(pod.Status.ExtendedResourceClaimStatus.ResourceClaimName), "special claims when the pod is bound, and the one in its status")
	if !cleared {
		t.KnownIssue("the status of a pod that could not be bound went on naming a claim that was gone")
	}
}}
