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

package extended

import (
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/admission"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// QuotaOfSidecar limits claims, and the devices the scheduler requests for a pod with a sidecar. A
// pod exceeding the claim quota reports why, and is scheduled once the first is gone.
var QuotaOfSidecar = harness.Case{Meta: spec.Meta{
	ID:     "extended/quota-of-sidecar",
	Checks: "Quotas count the allocated devices and the special claim of a pod with init containers and sidecars.",
	Requires: []spec.RequirementID{
		"kep-5004/quotas-agree", "kep-5004/class-quota-counts-special-claims", "kep-4381/quota-counts-claims", "kep-5004/claim-write-fails-retried",
	},
	Needs:    spec.Needs{NoKubelet: true, Since: "1.37", Features: []spec.Feature{spec.ExtendedResource}},
	WaitsFor: "A pod is retried after a failed binding after 1 s, 2 s, 4 s (k8s.io/kubernetes v1.37.1 pkg/scheduler/backend/queue, backoff of pods).",
}, Run: func(t *harness.T) {
	name := createClass(t)
	t.Publish("pool", t.Nodes[0], deviceOf("device-0"), deviceOf("device-1"), deviceOf("device-2"), deviceOf("device-3"), deviceOf("device-4"))
	const claims corev1.ResourceName = "count/resourceclaims.resource.k8s.io"
	byClass := corev1.ResourceName(t.DriverName() + ".deviceclass.resource.k8s.io/devices")
	explicit, byName := corev1.ResourceName("requests."+name), corev1.ResourceName("requests."+implicit(t.DriverName()))
	five := resource.MustParse("5")
	admission.CreateQuota(t, "quota", corev1.ResourceList{byClass: five, explicit: five, byName: five, claims: resource.MustParse("1")},
		objects.PodWanting("beyond", t.Image, map[string]int64{name: 6}))
	used := func(asked, devices, number int64) {
		admission.WaitUsed(t, "quota", map[corev1.ResourceName]int64{byClass: devices, explicit: asked, byName: devices, claims: number})
	}

	t.Create(withSidecar(t, name))
	first := t.WaitScheduled("with-sidecar")
	results := t.WaitAllocated(first.Status.ExtendedResourceClaimStatus.ResourceClaimName).Status.Allocation.Devices.Results
	t.Expect(results).To(gomega.HaveLen(3), "allocated devices")
	used(3, 3, 1)
	t.Create(objects.PodWanting("second", t.Image, map[string]int64{name: 1}))
	t.WaitEvent("second", "FailedScheduling", "exceeded quota: quota")
	used(4, 3, 1)
	t.RemovePod("with-sidecar")
	t.WaitScheduled("second")
	used(1, 1, 1)
}}
