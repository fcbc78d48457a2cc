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

	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/admission"
	"github.com/dra-conformance/dratest/framework/harness/controlplane"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Creations rejects creations of claims at first, then accepts them. The controllers count claims
// from templates, the scheduler those for extended resources. Workqueue metrics include the claim
// queue.
var Creations = harness.Case{Meta: spec.Meta{
	ID:       "metrics/creations",
	Checks:   "Metrics count created claims separately from failed attempts to create them.",
	Requires: []spec.RequirementID{"kep-4381/claim-creation-metrics", "kep-4381/controller-queue-metrics", "kep-5004/claim-creation-metric"},
	Needs: spec.Needs{Features: []spec.Feature{spec.ExtendedResource}, Since: namedSince, Profile: profiles.FourDevices(),
		Alone: true, Metrics: []string{"kube-scheduler", "kube-controller-manager"}},
	SerialBecause: countsAll,
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Create(objects.Template("template", objects.Claim("", objects.Request("req", class))))
	makers := []struct{ component, pod string }{{spec.Controllers, "generated"}, {spec.Scheduler, "extended"}}
	labels := func(status string) map[string]string {
		return map[string]string{"status": status, "admin_access": "false", "owner_api_group": "", "owner_api_kind": "Pod"}
	}
	const created, adds = "dynamic_resource_allocation_resourceclaim_creates_total", "workqueue_adds_total"
	before := map[string]float64{}
	for _, m := range makers {
		for _, status := range []string{"success", "failure"} {
			before[m.component+status] = controlplane.Metric(t, m.component, created, labels(status))
		}
	}
	queue := map[string]string{"name": "resource_claim"}
	queued := controlplane.Metric(t, spec.Controllers, adds, queue)
	refusal := admission.Refuse(t, admissionv1.Create, "resource.k8s.io", "resourceclaims", "false", func(ctx context.Context) error {
		_, err := t.Client.ResourceV1().ResourceClaims(t.Namespace).Create(ctx, objects.Claim("attempt", objects.Request("req", class)), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return err
	})

	t.Create(objects.PodFromTemplate("generated", t.Image, "template"),
		objects.PodWanting("extended", t.Image, map[string]int64{"deviceclass.resource.kubernetes.io/" + class: 2}))
	t.WaitEvent("generated", "FailedResourceClaimCreation", refusal.Message)
	t.WaitEvent("extended", "FailedScheduling", refusal.Message)
	for _, m := range makers {
		controlplane.WaitMetric(t, m.component, created, labels("failure"), "more than before", func(v float64) bool { return v > before[m.component+"failure"] })
		controlplane.WaitMetric(t, m.component, created, labels("success"), "as before", func(v float64) bool { return v == before[m.component+"success"] })
	}
	admission.Accept(t, refusal)
	for _, m := range makers {
		t.WaitRunning(m.pod)
		controlplane.WaitMetric(t, m.component, created, labels("success"), "one more than before", func(v float64) bool { return v == before[m.component+"success"]+1 })
	}
	controlplane.WaitMetric(t, spec.Controllers, adds, queue, "more than before", func(v float64) bool { return v > queued })
	controlplane.WaitMetric(t, spec.Controllers, "workqueue_depth", queue, "nothing", func(v float64) bool { return v == 0 })
}}
