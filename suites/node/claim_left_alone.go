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

// ClaimLeftAlone counts API requests for claims, except watches, over three node lease renewals.
// The pod runs and does nothing else.
var ClaimLeftAlone = harness.Case{Meta: spec.Meta{
	ID:            "node/claim-left-alone",
	Checks:        "While a pod with a claim runs, no component writes or reads the claim.",
	Requires:      []spec.RequirementID{"kep-4381/no-periodic-calls"},
	Needs:         spec.Needs{Profile: profiles.OneDevice(), Alone: true, OneAPIServer: true},
	WaitsFor:      "A kubelet renews its lease every 10 s (pkg/kubelet/kubelet.go, NodeLeaseDurationSeconds).",
	SerialBecause: "Others' requests for claims would count.",
}, Run: func(t *harness.T) {
	t.Create(objects.Claim("claim", objects.Request("req", t.CreateClass(nil))))
	pod := t.RunPod(objects.Pod("pod", t.Image, "claim"))
	before := t.Claim("claim")
	// Claims of earlier cases must be gone: deleting their namespaces lists and deletes claims.
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
	at := renewed(t, pod.Spec.NodeName, time.Time{}, 1+2) // the last renewal and two more, enough for the requests after the pod's start

	requests := controlplane.APIRequests(t, "resource.k8s.io", "resourceclaims")
	renewed(t, pod.Spec.NodeName, at, 3)
	t.Expect(controlplane.APIRequests(t, "resource.k8s.io", "resourceclaims")).To(gomega.Equal(requests), "requests for claims, watches apart, after three heartbeats")
	t.Expect(t.Claim("claim").ResourceVersion).To(gomega.Equal(before.ResourceVersion), "version of the claim")
}}

// renewed waits for a number of lease renewals of a node after a time. It returns the last renewal
// by the node's clock.
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
