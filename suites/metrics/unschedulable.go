package metrics

import (
	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Unschedulable has pods wait for claims.
var Unschedulable = harness.Case{Meta: spec.Meta{
	ID:            "metrics/unschedulable",
	Checks:        "The scheduler's metric of unschedulable pods counts those that wait for claims, by the plugin that lets them wait, until they are gone.",
	Requires:      []spec.RequirementID{"kep-4381/unschedulable-metric"},
	Needs:         spec.Needs{Profile: profiles.OneDevice(), Metrics: []string{"kube-scheduler"}},
	SerialBecause: countsAll,
}, Run: func(t *harness.T) {
	const name = "scheduler_unschedulable_pods"
	// Kubernetes' own plugin, and this project's.
	labels := []map[string]string{{"plugin": "DynamicResources"}, {"plugin": "DRA"}}
	before := make([]float64, 0, len(labels))
	for _, l := range labels {
		before = append(before, t.Metric(spec.Scheduler, name, l))
	}
	class := t.CreateClass(nil)
	two := objects.Request("req", class)
	two.Exactly.Count = 2
	for _, waiting := range []string{"one", "two"} {
		t.Create(objects.Claim(waiting, two), objects.Pod(waiting, t.Image, waiting))
		t.WaitUnschedulable(waiting, "cannot allocate all claims")
	}

	more := func(by float64) {
		mine, other := 0, 1
		if t.Metric(spec.Scheduler, name, labels[other]) != before[other] {
			mine, other = other, mine
		}
		t.WaitMetric(spec.Scheduler, name, labels[mine], "what it was and the pods of the case", func(v float64) bool { return v == before[mine]+by })
		t.WaitMetric(spec.Scheduler, name, labels[other], "what it was", func(v float64) bool { return v == before[other] })
	}
	more(2)
	t.RemovePod("one")
	more(1)
	t.RemovePod("two")
	more(0)
}}
