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
	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/controlplane"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// namedSince is the first release with the current names of the claim metrics. In 1.36 they begin
// with resourceclaim_controller and scheduler, as in KEP-4381 (k8s.io/kubernetes v1.36.4,
// pkg/controller/resourceclaim/metrics/metrics.go).
const namedSince = "1.37"

const countsAll = "It compares cluster-wide numbers, and other cases change them, too."

// Claims counts claims of all sources: user, template and extended resource.
var Claims = harness.Case{Meta: spec.Meta{
	ID:            "metrics/claims",
	Checks:        "The controllers' metrics count existing claims by allocation state and source.",
	Requires:      []spec.RequirementID{"kep-4381/claim-metrics", "kep-5004/claim-metric-source"},
	Needs:         spec.Needs{Features: []spec.Feature{spec.ExtendedResource}, Since: namedSince, Profile: profiles.FourDevices(), Alone: true, Metrics: []string{"kube-controller-manager"}},
	SerialBecause: countsAll,
}, Run: func(t *harness.T) {
	kinds := []struct{ allocated, source string }{
		{"false", ""}, {"true", ""}, {"true", "resource_claim_template"}, {"true", "extended_resource"},
	}
	labels := func(allocated, source string) map[string]string {
		return map[string]string{"allocated": allocated, "source": source, "admin_access": "false"}
	}
	const name = "dynamic_resource_allocation_resource_claims"
	before := map[string]float64{}
	for _, k := range kinds {
		before[k.allocated+k.source] = controlplane.Metric(t, spec.Controllers, name, labels(k.allocated, k.source))
	}
	expect := func(allocated, source string, more float64) {
		controlplane.WaitMetric(t, spec.Controllers, name, labels(allocated, source), "initial value plus the additions of the case",
			func(value float64) bool { return value == before[allocated+source]+more })
	}
	class := t.CreateClass(nil)
	t.Create(objects.Template("template", objects.Claim("", objects.Request("req", class))))

	t.Create(objects.Claim("unused", objects.Request("req", class)), objects.Claim("used", objects.Request("req", class)))
	expect("false", "", 2)
	t.Create(objects.Pod("used", t.Image, "used"), objects.PodFromTemplate("generated", t.Image, "template"),
		objects.PodWanting("extended", t.Image, map[string]int64{"deviceclass.resource.kubernetes.io/" + class: 2}))
	for _, pod := range []string{"used", "generated", "extended"} {
		t.WaitRunning(pod)
	}
	expect("false", "", 1)
	expect("true", "", 1)
	expect("true", "resource_claim_template", 1)
	expect("true", "extended_resource", 1)
	t.Expect(t.Claim("used").Status.Allocation).NotTo(gomega.BeNil(), "allocation of the used claim")

	for _, pod := range []string{"used", "generated", "extended"} {
		t.RemovePod(pod)
	}
	for _, k := range kinds {
		expect(k.allocated, k.source, map[string]float64{"false": 2}[k.allocated])
	}
}}
