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
	"fmt"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/controlplane"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Unschedulable has pods waiting for claims. They are counted until they are gone.
var Unschedulable = harness.Case{Meta: spec.Meta{
	ID:            "metrics/unschedulable",
	Checks:        "The scheduler's metric of unschedulable pods counts those waiting for claims by plugin.",
	Requires:      []spec.RequirementID{"kep-4381/unschedulable-metric"},
	Needs:         spec.Needs{Profile: profiles.OneDevice(), Alone: true, Metrics: []string{"kube-scheduler"}},
	SerialBecause: countsAll,
}, Run: func(t *harness.T) {
	const name = "scheduler_unschedulable_pods"
	// kube-scheduler's plugin, and this project's.
	labels := []map[string]string{{"plugin": "DynamicResources"}, {"plugin": "DRA"}}
	before := make([]float64, 0, len(labels))
	for _, l := range labels {
		before = append(before, controlplane.Metric(t, spec.Scheduler, name, l))
	}
	class := t.CreateClass(nil)
	two := objects.Request("req", class)
	two.Exactly.Count = 2
	for _, waiting := range []string{"one", "two"} {
		t.Create(objects.Claim(waiting, two), objects.Pod(waiting, t.Image, waiting))
		t.WaitUnschedulable(waiting, "cannot allocate all claims")
	}

	mine := 0
	t.Poll("one of the plugins to count pods of the case", func(context.Context) (bool, string, error) {
		for i, l := range labels {
			if now := controlplane.Metric(t, spec.Scheduler, name, l); now != before[i] {
				mine = i
				return true, fmt.Sprintf("%s: %g", l["plugin"], now), nil
			}
		}
		return false, fmt.Sprintf("%v, as before", before), nil
	})
	more := func(by float64) {
		controlplane.WaitMetric(t, spec.Scheduler, name, labels[mine], "initial value plus the pods of the case", func(v float64) bool { return v == before[mine]+by })
		controlplane.WaitMetric(t, spec.Scheduler, name, labels[1-mine], "initial value", func(v float64) bool { return v == before[1-mine] })
	}
	more(2)
	t.RemovePod("one")
	more(1)
	t.RemovePod("two")
	more(0)
}}
