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

// RuleForAll has rules for all devices and for none, without effect: the first would delete the
// pods of two drivers.
var RuleForAll = harness.Case{Meta: spec.Meta{
	ID:            "eviction/rule-for-all",
	Checks:        "A DeviceTaintRule with an empty selector selects all devices, and one without selector selects none.",
	Requires:      []spec.RequirementID{"kep-5055/rule-selector"},
	Needs:         spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.DeviceTaints, spec.DeviceTaintRules}, Alone: true},
	SerialBecause: "It counts all pods with devices in the cluster, including those of other cases.",
	WaitsFor:      "The condition of a rule is updated every 10 s (k8s.io/kubernetes v1.37.1 pkg/controller/devicetainteviction/device_taint_eviction.go).",
}, Run: func(t *harness.T) {
	other := "other-" + t.DriverName()
	class := t.CreateClass(func(c *resourceapi.DeviceClass) {
		c.Spec.Selectors = []resourceapi.DeviceSelector{objects.Selector("device.driver in ['" + t.DriverName() + "', '" + other + "']")}
	})
	users(t, class, "pool", t.Nodes[0], "a", "b")
	// Devices of another driver: requests selecting the first driver's attributes do not match.
	t.Create(objects.NetworkSlice(other, other, "pool", named("c")),
		objects.Claim("c", objects.Request("req", class, "device.driver == '"+other+"'")), objects.Pod("c", t.Image, "c"))
	t.WaitScheduled("c")
	every := objects.TaintRule("every-"+t.DriverName(), "", broken(resourceapi.DeviceTaintEffectNone))
	every.Spec.DeviceSelector = &resourceapi.DeviceTaintSelector{}
	none := objects.TaintRule("none-"+t.DriverName(), "", broken(resourceapi.DeviceTaintEffectNone))
	none.Spec.DeviceSelector = nil
	untilCounted(t, every, 3)
	t.Create(none)

	t.Expect(wouldDelete(t, none, 1)).To(gomega.Equal(0), "pods the rule without a selector would delete")
	stays(t, "a", "b", "c")
}}

// mostRules is the maximum number of untilCounted's rules: 20 s of them if each is answered at
// once.
const mostRules = 100

// untilCounted creates copies of this rule without effect until one reports this number of pods. A
// rule reports once, from the controller's informers. Pods may arrive after the rule, so a single
// rule could report too few forever. Later rules include all pods seen before.
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
	t.Fatalf("the last of %d rules like %s reports %d pods to delete, not %d", mostRules, rule.Name, said, want)
}

// wouldDelete returns the number of pods a rule without effect reports for deletion, in this
// generation.
func wouldDelete(t *harness.T, rule *resourceapi.DeviceTaintRule, generation int64) int {
	return numberIn(t, pods, waitNotInProgress(t, rule, generation).Message)
}

// numberIn returns a number in a rule's message.
func numberIn(t *harness.T, pattern *regexp.Regexp, message string) int {
	found := pattern.FindStringSubmatch(message)
	if found == nil {
		t.Fatalf("a rule without effect says nothing like %s: %s", pattern, message)
	}
	number, err := strconv.Atoi(found[1])
	t.NoError(err, "read a number of a rule's message")
	return number
}

// pods returns the number of pods in a rule's message.
var pods = regexp.MustCompile(`\b([0-9]+) pods? would be evicted`)
