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
	"context"
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

// firstBackoff is the longest wait before a pod's first retry (k8s.io/kubernetes v1.37.1,
// pkg/scheduler/backend/queue, DefaultPodInitialBackoffDuration).
const firstBackoff = time.Second

// OthersClaims creates and allocates claims a waiting pod does not name. The scheduler's count of failed attempts
// must not rise until it has placed the pods of all those claims.
var OthersClaims = harness.Case{Meta: spec.Meta{
	ID:            "allocation/others-claims",
	Checks:        "A waiting pod is not retried because of claims it does not name; once its own claim is allocated, it is.",
	Requires:      []spec.RequirementID{"kep-4381/hints-limit-retries"},
	Needs:         spec.Needs{NoKubelet: true, Alone: true, Metrics: []string{"kube-scheduler"}},
	SerialBecause: "Attempts to schedule others' pods would count.",
}, Run: func(t *harness.T) {
	const attempts = "scheduler_schedule_attempts_total"
	vain := map[string]string{"result": "unschedulable"}
	class := t.CreateClass(nil)
	claim := func(name string) *resourceapi.ResourceClaim {
		return objects.Claim(name, objects.Request("req", class, t.Attribute("slot")+" == -1"))
	}
	wait(t, claim("waits"))
	before := controlplane.Metric(t, spec.Scheduler, attempts, vain)
	t.Expect(before).To(gomega.BeNumerically(">", 0), "failed attempts, including the one for the waiting pod")

	for i := range 5 {
		name := fmt.Sprintf("other-%d", i)
		t.Create(claim(name))
		edit.ClaimStatus(t, name, func(c *resourceapi.ResourceClaim) {
			c.Status.Allocation = &resourceapi.AllocationResult{
				AllocationTimestamp: ptr.To(metav1.Now()), // without it Kubernetes' scheduler can reserve no allocation
				Devices: resourceapi.DeviceAllocationResult{Results: []resourceapi.DeviceRequestAllocationResult{
					{Request: "req", Driver: t.DriverName(), Pool: "elsewhere", Device: name},
				}},
			}
		})
	}
	// The scheduler does not try a pod whose claim is not in its cache yet, so it counts no failed
	// attempt. Once this pod is scheduled, all older claims are in the cache; otherwise the other pods
	// would be tried too early.
	use(t, objects.Claim("last"))
	for i := range 5 {
		name := fmt.Sprintf("other-%d", i)
		t.Create(objects.Pod(name, t.Image, name))
		t.WaitScheduled(name)
	}
	t.Never(3*firstBackoff, fmt.Sprintf("failed attempt after the first %g, for claims of others", before), func(context.Context) (bool, string, error) {
		after := controlplane.Metric(t, spec.Scheduler, attempts, vain)
		return after != before, fmt.Sprintf("%g failed attempts", after), nil
	})

	hadFromElsewhere(t, "waits")
}}
