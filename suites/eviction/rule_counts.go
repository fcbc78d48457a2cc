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
	"regexp"
	"strings"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// RuleCounts has a rule for five devices, four of them in use by three pods in two namespaces.
// Devices of another driver and unallocated claims do not count.
var RuleCounts = harness.Case{Meta: spec.Meta{
	ID:       "eviction/rule-counts",
	Checks:   "A DeviceTaintRule without effect reports affected devices and pods; with NoExecute it reports evicted pods.",
	Requires: []spec.RequirementID{"kep-5055/rule-says-what-it-does", "kep-5055/rule-tells-numbers"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.DeviceTaints, spec.DeviceTaintRules}},
	WaitsFor: "The condition of a rule is updated every 10 s (k8s.io/kubernetes v1.37.1 pkg/controller/devicetainteviction/device_taint_eviction.go).",
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Create(objects.NetworkSlice("other-"+t.DriverName(), "other-"+t.DriverName(), "pool", named("other")), objects.Claim("free", objects.Request("req", class)))
	users(t, class, "pool", t.Nodes[0], "a", "b")
	t.Publish("more", t.Nodes[0], named("c"), named("d"), named("e"))
	two := objects.Request("req", class)
	two.Exactly.Count = 2
	runIn(t, otherNamespace(t), objects.Claim("two", two))

	rule := objects.TaintRule(t.DriverName(), t.DriverName(), broken(resourceapi.DeviceTaintEffectNone))
	untilCounted(t, rule, 3)
	t.Create(rule)
	t.Expect(counted(t, rule)).To(gomega.Equal(counts{published: 5, allocated: 4, pods: 3, namespaces: 2}), "status of the rule")
	stays(t, "a", "b")

	edit.Rule(t, rule.Name, func(r *resourceapi.DeviceTaintRule) { r.Spec.Taint.Effect = resourceapi.DeviceTaintEffectNoExecute })
	t.WaitPodGone("a")
	t.WaitPodGone("b")
	waitCondition(t, rule, "to have deleted three pods", func(c metav1.Condition) bool {
		return c.Status == metav1.ConditionFalse && strings.Contains(c.Message, "3 pods evicted")
	})
}}

// counts are the numbers reported by a rule without effect.
type counts struct{ published, allocated, pods, namespaces int }

// counted returns the numbers reported by a new rule without effect.
func counted(t *harness.T, rule *resourceapi.DeviceTaintRule) counts {
	message := waitNotInProgress(t, rule, 1).Message
	return counts{numberIn(t, published, message), numberIn(t, allocated, message), numberIn(t, pods, message), numberIn(t, namespaces, message)}
}

var (
	published  = regexp.MustCompile(`\b([0-9]+) published devices? selected`)
	allocated  = regexp.MustCompile(`\b([0-9]+) allocated devices? selected`)
	namespaces = regexp.MustCompile(`\bin ([0-9]+) (?:different )?namespaces?\b`)
)
