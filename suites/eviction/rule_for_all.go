package eviction

import (
	"fmt"
	"regexp"
	"strconv"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// RuleForAll asks what rules for all devices and for none would do, which they do not do.
var RuleForAll = harness.Case{Meta: spec.Meta{
	ID: "eviction/rule-for-all",
	Checks: "A DeviceTaintRule with an empty selector is for the devices of all drivers, one without a selector for none: without an effect the first " +
		"says that it would delete the pods of two drivers, the second that it would delete none.",
	Requires:      []spec.RequirementID{"kep-5055/rule-selector"},
	Needs:         spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.DeviceTaints, spec.DeviceTaintRules}, Alone: true},
	SerialBecause: "It counts the pods of the whole cluster that use devices, as other cases' do.",
	WaitsFor:      "The condition of a rule is updated every 10 s (k8s.io/kubernetes v1.37.1 pkg/controller/devicetainteviction/device_taint_eviction.go).",
}, Run: func(t *harness.T) {
	other := "other-" + t.DriverName()
	class := t.CreateClass(func(c *resourceapi.DeviceClass) {
		c.Spec.Selectors = []resourceapi.DeviceSelector{objects.Selector("device.driver in ['" + t.DriverName() + "', '" + other + "']")}
	})
	users(t, class, "pool", t.Nodes[0], "a", "b")
	// Of another driver: requests for the first one's attributes are not for its devices.
	t.Create(objects.NetworkSlice(other, other, "pool", named("c")),
		objects.Claim("c", objects.Request("req", class, "device.driver == '"+other+"'")), objects.Pod("c", t.Image, "c"))
	t.WaitScheduled("c")
	every := objects.TaintRule("every-"+t.DriverName(), "", broken(resourceapi.DeviceTaintEffectNone))
	every.Spec.DeviceSelector = &resourceapi.DeviceTaintSelector{}
	none := objects.TaintRule("none-"+t.DriverName(), "", broken(resourceapi.DeviceTaintEffectNone))
	none.Spec.DeviceSelector = nil
	untilCounted(t, every, 3)
	t.Create(none)

	t.Expect(wouldDelete(t, none, 1)).To(gomega.Equal(0), "pods that the rule without a selector would delete")
	stays(t, "a", "b", "c")
}}

// mostRules is how many rules untilCounted makes: 20 s of them where each is answered at once.
const mostRules = 100

// untilCounted makes rules like this one, which has no effect, until one says that it would
// delete so many pods. A rule tells once, and counts what the watches of the controller have
// brought so far: that of pods may be behind that of rules, for which a single rule would say
// too little for ever. What these have brought once, later rules count as well.
func untilCounted(t *harness.T, rule *resourceapi.DeviceTaintRule, want int) {
	var said int
	for n := range mostRules {
		next := rule.DeepCopy()
		next.Name = fmt.Sprintf("%s-%d", rule.Name, n)
		t.Create(next)
		if said = wouldDelete(t, next, 1); said == want {
			return
		}
		t.Delete(next)
	}
	t.Fatalf("the last of %d rules like %s says that it would delete %d pods, not %d", mostRules, rule.Name, said, want)
}

// wouldDelete is how many pods a rule without an effect, in this generation, says that it
// would delete with one.
func wouldDelete(t *harness.T, rule *resourceapi.DeviceTaintRule, generation int64) int {
	return told(t, pods, waitNotInProgress(t, rule, generation).Message)
}

// told is a number that a rule's message has.
func told(t *harness.T, pattern *regexp.Regexp, message string) int {
	found := pattern.FindStringSubmatch(message)
	if found == nil {
		t.Fatalf("a rule without effect says nothing like %s: %s", pattern, message)
	}
	number, err := strconv.Atoi(found[1])
	t.NoError(err, "read a number of a rule's message")
	return number
}

// pods is what a rule says of those that it would delete.
var pods = regexp.MustCompile(`\b([0-9]+) pods? would be evicted`)
