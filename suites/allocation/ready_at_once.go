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

package allocation

import (
	"fmt"
	"time"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/controlplane"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// hadFromElsewhere allocates a claim for one device, and returns when its pod is scheduled.
func hadFromElsewhere(t *harness.T, name string) {
	edit.ClaimStatus(t, name, func(c *resourceapi.ResourceClaim) {
		c.Status.Allocation = &resourceapi.AllocationResult{
			AllocationTimestamp: ptr.To(metav1.Now()), // without it Kubernetes' scheduler can reserve no allocation
			Devices: resourceapi.DeviceAllocationResult{Results: []resourceapi.DeviceRequestAllocationResult{
				{Request: "req", Driver: t.DriverName(), Pool: "elsewhere", Device: name},
			}},
		}
	})
	t.WaitScheduled(name)
}

// ReadyAtOnce makes a pod's claim ready after many attempts.
var ReadyAtOnce = harness.Case{Meta: spec.Meta{
	ID:            "allocation/ready-at-once",
	Checks:        "A pod with the maximal backoff is scheduled within 4 s once its claim is ready.",
	Requires:      []spec.RequirementID{"kep-4381/retry-without-backoff"},
	Needs:         spec.Needs{NoKubelet: true, Alone: true, Metrics: []string{"kube-scheduler"}},
	SerialBecause: "Others' pods would come before, and their attempts would count.",
}, Run: func(t *harness.T) {
	// The backoff starts at 1 s and doubles with each attempt, up to 10 s: after the sixth it is maximal.
	const tries, limit = 6, 4 * time.Second
	const attempts = "scheduler_schedule_attempts_total"
	vain := map[string]string{"result": "unschedulable"}
	class := t.CreateClass(nil)
	seen := controlplane.Metric(t, spec.Scheduler, attempts, vain)
	wait(t, objects.Claim("waits", objects.Request("req", class, t.Attribute("slot")+" == -1")))
	for i := range tries { // the first attempt is due to the pod, the others to slices
		if i > 0 {
			name := fmt.Sprintf("try-%d", i)
			t.Publish(name, t.Nodes[0], device(name, map[string]any{"slot": i}))
		}
		seen = controlplane.WaitMetric(t, spec.Scheduler, attempts, vain, "more than before", func(v float64) bool { return v > seen })
	}
	ready := time.Now()
	hadFromElsewhere(t, "waits")
	t.Expect(time.Since(ready)).To(gomega.BeNumerically("<", limit), "time from the claim's being ready until the pod is scheduled")
}}
