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
	"time"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// NoAnswer has a driver ignore its first prepare call and another claim's first unprepare call. The
// waiting pod reports the timeout. Claims of another driver are prepared meanwhile.
var NoAnswer = harness.Case{Meta: spec.Meta{
	ID:       "node/no-answer",
	Checks:   "The kubelet times out and retries calls not answered by a driver, without blocking other drivers.",
	Requires: []spec.RequirementID{"kep-4381/call-ends", "kep-4381/prepare-retried", "kep-4381/unprepare-retried"},
	Needs:    spec.Needs{Profile: profiles.TwoDevices()},
	Catches:  []spec.MutantID{"driver-unprepare-nothing-done"},
	WaitsFor: "The kubelet waits 45 s for an answer (k8s.io/kubernetes v1.37.1 pkg/kubelet/cm/dra/plugin/dra_plugin.go). " + waitsForResync,
	Timeout:  6 * time.Minute,
}, Run: func(t *harness.T) {
	second := simdriver.Second(t, profiles.OneDevice(), nil)
	class := t.CreateClass(nil)
	t.Create(objects.Class(second.Name, second.Name))
	t.Create(objects.Claim("starts", objects.Request("req", class)), objects.Claim("ends", objects.Request("req", class)), objects.Claim("other", objects.Request("req", second.Name)))
	t.RunPod(objects.Pod("ends", t.Image, "ends"))
	simdriver.Of(t).Fail(spec.Fault{Method: spec.Prepare, Kind: spec.FaultHang, Times: 1}, spec.Fault{Method: spec.Unprepare, Kind: spec.FaultHang, Times: 1})

	t.Create(objects.Pod("starts", t.Image, "starts"))
	t.Delete(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "ends", Namespace: t.Namespace}}, harness.GracePeriod(time.Second))
	waits := map[string]spec.Method{"starts": spec.Prepare, "ends": spec.Unprepare}
	for claim, method := range waits {
		awaitAsked(t, method, claim, simdriver.Of(t))
	}
	t.RunPod(objects.Pod("other", t.Image, "other"))
	other := second.Calls(spec.Prepare, "other")[0]

	t.WaitEvent("starts", notPrepared, "DeadlineExceeded")
	t.WaitRunning("starts")
	t.WaitPodGone("ends")
	for claim, method := range waits {
		calls := simdriver.Of(t).Calls(method, claim)
		t.Expect(len(calls)).To(gomega.BeNumerically(">=", 2), "calls of %s for claim %s: one without an answer, one with", method, claim)
		t.Expect(calls[0].Error).NotTo(gomega.BeEmpty(), "how the first call of %s for claim %s has ended", method, claim)
		t.Expect(other.Start).To(gomega.BeTemporally("<", calls[0].Start.Add(calls[0].Took)), "when the other driver was called, and when the call of %s for claim %s had ended", method, claim)
	}
	t.WaitDeallocated("ends")
	t.RemovePod("starts")
	t.Driver.AwaitUnprepared()
}}
