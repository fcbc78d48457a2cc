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

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/kubelet"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/issues"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// reconciled bounds the kubelet's search for prepared claims of deleted pods.
const reconciled = 75 * time.Second

// CheckpointLost deletes the kubelet's claim checkpoint while the kubelet is down. Recovery is up
// to the kubelet, but running pods must survive and prepared claims must be unprepared: neither
// promise has an exception.
var CheckpointLost = harness.Case{Meta: spec.Meta{
	ID:            "node/checkpoint-lost",
	Checks:        "After losing its checkpoint, a kubelet keeps pods running, unprepares their claims on deletion and starts new pods.",
	Requires:      []spec.RequirementID{"kep-4381/kubelet-failure-spares-running-pods", "kep-4381/unprepare-each-prepared", "kep-4381/registration"},
	Needs:         spec.Needs{Profile: profiles.OneDevice(), Disruption: true},
	WaitsFor:      "Once a minute, a kubelet looks for claims prepared for deleted pods (k8s.io/kubernetes v1.37.1 pkg/kubelet/cm/dra/manager.go, reconcileLoop).",
	SerialBecause: restartsKubelet,
	HoldsNode:     true,
	Timeout:       4 * time.Minute,
	KnownIssue:    issues.Known("checkpoint-lost"),
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Create(objects.Claim("claim", objects.Request("req", class)))
	pod := t.RunPod(objects.Pod("pod", t.Image, "claim"))
	claim := t.Claim("claim")

	kubelet.LoseCheckpoint(t, pod.Spec.NodeName)
	// Until the kubelet starts a pod, the status of other pods is from before the restart.
	t.RunPod(objects.OnlyOn(objects.Pod("witness", t.Image), pod.Spec.NodeName))

	running := t.WaitRunning("pod")
	t.Expect(running.Status.ContainerStatuses[0].RestartCount).To(gomega.BeZero(), "restarts of the container")
	t.Expect(t.Claim("claim")).To(matchers.BeReservedFor(pod), "consumers of the claim")
	t.Expect(simdriver.Of(t).Holds(claim.UID)).To(gomega.BeTrue(), "whether the claim is still prepared")

	t.RemovePod("pod")
	t.WaitDeallocated("claim")
	asked := t.OccursWithin(reconciled, "a NodeUnprepareResources call for the claim", func(context.Context) (bool, string, error) {
		calls := simdriver.Of(t).Calls(spec.Unprepare, "claim")
		return len(calls) > 0, fmt.Sprintf("%d calls", len(calls)), nil
	})
	if !asked {
		t.KnownIssue("expected a NodeUnprepareResources call within %s after the pod was gone and its claim deallocated, got 0", reconciled)
		simdriver.Of(t).LoseCDI() // no unprepare call removes these files
	}
	t.Create(objects.Claim("next", objects.Request("req", class)))
	t.RunPod(objects.Pod("next", t.Image, "next"))
	t.Expect(t.Environment("next", "main")).To(matchers.SeeDevices("next", "req", "device-0"), "the device of the next pod")
}}
