package node

import (
	"context"
	"fmt"
	"time"

	"github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/controlplane"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ClaimLeftAlone counts the requests for claims while a pod does nothing but run.
var ClaimLeftAlone = harness.Case{Meta: spec.Meta{
	ID: "node/claim-left-alone",
	Checks: "While a pod with a claim runs and its node tells three times that it is alive, nobody writes the claim, and no request reads a claim: the API server's count of " +
		"requests for claims, watches apart, stays what it was.",
	Requires:      []spec.RequirementID{"kep-4381/no-periodic-calls"},
	Needs:         spec.Needs{Profile: profiles.OneDevice(), Alone: true},
	WaitsFor:      "A kubelet renews its lease every 10 s (pkg/kubelet/kubelet.go, NodeLeaseDurationSeconds).",
	SerialBecause: "Others' requests for claims would count.",
}, Run: func(t *harness.T) {
	t.Create(objects.Claim("claim", objects.Request("req", t.CreateClass(nil))))
	pod := t.RunPod(objects.Pod("pod", t.Image, "claim"))
	before := t.Claim("claim")
	// What cases before have left is gone by then: namespaces that go have their claims
	// deleted and listed.
	t.Poll("the namespaces of cases before to be gone", func(ctx context.Context) (bool, string, error) {
		list, err := t.Client.CoreV1().Namespaces().List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, "", err
		}
		var going []string
		for _, n := range list.Items {
			if n.DeletionTimestamp != nil {
				going = append(going, n.Name)
			}
		}
		return len(going) == 0, fmt.Sprintf("going: %q", going), nil
	})
	at := renewed(t, pod.Spec.NodeName, time.Time{}, 1+2) // the last renewal, and two from now, by when what follows the pod's start is done

	requests := controlplane.APIRequests(t, "resource.k8s.io", "resourceclaims")
	renewed(t, pod.Spec.NodeName, at, 3)
	t.Expect(controlplane.APIRequests(t, "resource.k8s.io", "resourceclaims")).To(gomega.Equal(requests), "requests for claims, watches apart, after three heartbeats")
	t.Expect(t.Claim("claim").ResourceVersion).To(gomega.Equal(before.ResourceVersion), "version of the claim")
}}

// renewed waits until a node's lease has been renewed so often after a time, and returns
// when it last was, by the node's clock.
func renewed(t *harness.T, node string, since time.Time, times int) time.Time {
	for range times {
		t.Poll("the node's lease to be renewed", func(ctx context.Context) (bool, string, error) {
			lease, err := t.Client.CoordinationV1().Leases("kube-node-lease").Get(ctx, node, metav1.GetOptions{})
			if err != nil || lease.Spec.RenewTime == nil {
				return false, "no lease", err
			}
			at := lease.Spec.RenewTime.Time
			if !at.After(since) {
				return false, fmt.Sprintf("renewed at %s", at), nil
			}
			since = at
			return true, fmt.Sprintf("renewed at %s", at), nil
		})
	}
	return since
}
