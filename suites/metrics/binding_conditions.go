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

package metrics

import (
	"context"
	"time"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/controlplane"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// BindingConditions has a pod waiting for a device: failed, not ready in time, then ready. Attempts
// count once per device with conditions.
var BindingConditions = harness.Case{Meta: spec.Meta{
	ID:       "metrics/binding-conditions",
	Checks:   "The scheduler's metrics count results and durations of waits for binding conditions by driver.",
	Requires: []spec.RequirementID{"kep-5007/binding-metrics"},
	Needs: spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.BindingConditions, spec.DeviceStatus}, Metrics: []string{"kube-scheduler"},
		BindingTimeout: 30 * time.Second},
	WaitsFor: "The scheduler waits for binding conditions until its bindingTimeout: 20 s in clusters created by dratest, 10 minutes by default.",
}, Run: func(t *harness.T) {
	const attempts, waits = "scheduler_dra_bindingconditions_allocations_total", "scheduler_dra_bindingconditions_wait_duration_seconds"
	count := func(metric, status string) float64 {
		return controlplane.Metric(t, spec.Scheduler, metric, map[string]string{"driver": t.DriverName(), "status": status})
	}
	class := t.CreateClass(nil)
	slow := resourceapi.Device{Name: "slow", BindingConditions: []string{profiles.Attached}, BindingFailureConditions: []string{profiles.AttachFailed}}
	t.Publish("pool", t.Nodes[0], slow, resourceapi.Device{Name: "other"})
	two := objects.Request("req", class)
	two.Exactly.Count = 2
	t.Create(objects.Claim("claim", two), objects.Pod("pod", t.Image, "claim"))
	t.WaitEvent("pod", "BindingConditionsPending", "")
	say(t, profiles.AttachFailed)
	t.WaitEvent("pod", "FailedScheduling", "device binding failed")
	t.Expect(count(attempts, "failure")).To(gomega.BeEquivalentTo(1), "attempts ended by a failure")
	t.WaitEvent("pod", "FailedScheduling", "device binding timeout")
	late := count(attempts, "timeout")
	t.Expect(late).To(gomega.BeNumerically(">=", 1), "attempts ended by the timeout") // on a slow machine another attempt may have ended so
	t.Expect(count(attempts, "success")).To(gomega.BeZero(), "attempts that waited until the device was ready")

	t.Poll("the pod to be bound with a ready device", func(ctx context.Context) (bool, string, error) {
		pod, err := t.Client.CoreV1().Pods(t.Namespace).Get(ctx, "pod", metav1.GetOptions{})
		if err != nil || pod.Spec.NodeName != "" {
			return err == nil, "it is bound", err
		}
		say(t, profiles.Attached)
		return false, "it is not bound", nil
	})
	for metric, devices := range map[string]float64{attempts: 1, waits: 2} {
		t.Expect(count(metric, "failure")).To(gomega.Equal(devices), "%s with failure", metric)
		t.Expect(count(metric, "timeout")).To(gomega.BeNumerically(">=", devices*late), "%s with timeout", metric)
		t.Expect(count(metric, "success")).To(gomega.Equal(devices), "%s with success", metric)
	}
}}

// say sets a condition of the claim's slow device to true if it is allocated.
func say(t *harness.T, condition string) {
	edit.ClaimStatus(t, "claim", func(c *resourceapi.ResourceClaim) {
		if c.Status.Allocation == nil {
			return
		}
		status := resourceapi.AllocatedDeviceStatus{Driver: t.DriverName(), Pool: "pool", Device: "slow"}
		meta.SetStatusCondition(&status.Conditions, metav1.Condition{Type: condition, Status: metav1.ConditionTrue, Reason: "Told", Message: "told by the case"})
		c.Status.Devices = []resourceapi.AllocatedDeviceStatus{status}
	})
}
