package eviction

import (
	"time"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// RuleGivenUp takes away rules for which pods are going to be deleted, or what they say.
var RuleGivenUp = harness.Case{Meta: spec.Meta{
	ID: "eviction/rule-given-up",
	Checks: "A pod that tolerates the taint of a DeviceTaintRule for some seconds is not deleted after those when the rule has gone meanwhile, has no effect any more, or is for " +
		"another device; one whose rule is as it was is deleted.",
	Requires: []spec.RequirementID{"kep-5055/eviction-given-up", "kep-5055/evict-by-rule"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.DeviceTaints, spec.DeviceTaintRules}},
	WaitsFor: "The pods tolerate the taints for 12 s, so that there is time to take them away.",
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	pods := []string{"rule-gone", "no-effect", "other-device"}
	for _, name := range append(pods, "deleted", "at-once") {
		t.Publish(name, t.Nodes[0], named(name))
	}
	for _, name := range append(pods, "deleted") {
		tolerant(t, class, name, forSeconds(tolerated))
	}
	tolerant(t, class, "at-once")
	rules := map[string]*resourceapi.DeviceTaintRule{}
	rule := func(pool string, added time.Time) {
		r := objects.TaintRule(pool+"-"+t.DriverName(), t.DriverName(), broken(resourceapi.DeviceTaintEffectNoExecute))
		r.Spec.DeviceSelector.Pool, r.Spec.Taint.TimeAdded = &pool, &metav1.Time{Time: added}
		t.Create(r)
		rules[pool] = r
	}
	// As in GivenUp.
	now := time.Now()
	for _, name := range pods {
		rule(name, now.Add(-2*time.Second))
	}
	rule("deleted", now)
	rule("at-once", now)
	t.WaitEvent("at-once", event, "Marking for deletion")

	change := func(pool string, change func(*resourceapi.DeviceTaintRuleSpec)) {
		t.Get(rules[pool])
		change(&rules[pool].Spec)
		_, err := t.Client.ResourceV1().DeviceTaintRules().Update(t.Context(), rules[pool], metav1.UpdateOptions{})
		t.NoError(err, "change the rule for %s", pool)
	}
	t.Delete(rules["rule-gone"])
	change("no-effect", func(s *resourceapi.DeviceTaintRuleSpec) { s.Taint.Effect = resourceapi.DeviceTaintEffectNone })
	change("other-device", func(s *resourceapi.DeviceTaintRuleSpec) { s.DeviceSelector.Device = ptr.To("another-one") })

	t.WaitPodGone("deleted")
	stays(t, pods...)
}}
