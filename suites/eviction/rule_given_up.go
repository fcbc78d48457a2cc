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
	"time"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// RuleGivenUp deletes or changes rules with pending evictions: rule gone, without effect, or for
// another device. The pod of the unchanged rule is evicted.
var RuleGivenUp = harness.Case{Meta: spec.Meta{
	ID:       "eviction/rule-given-up",
	Checks:   "A pending eviction is cancelled when its DeviceTaintRule no longer applies.",
	Requires: []spec.RequirementID{"kep-5055/eviction-given-up", "kep-5055/evict-by-rule"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.DeviceTaints, spec.DeviceTaintRules}},
	WaitsFor: "The pods tolerate the taints for 15 s, so there is time to remove them.",
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
	name := func(pool string) string { return pool + "-" + t.DriverName() }
	rule := func(pool string, added *metav1.Time) *metav1.Time {
		r := objects.TaintRule(name(pool), t.DriverName(), broken(resourceapi.DeviceTaintEffectNoExecute))
		r.Spec.DeviceSelector.Pool, r.Spec.Taint.TimeAdded = &pool, added
		t.Create(r)
		return r.Spec.Taint.TimeAdded
	}
	began := time.Now()
	added := rule("deleted", nil)
	for _, name := range pods {
		rule(name, earlier(added))
	}
	rule("at-once", nil)
	t.WaitEvent("at-once", event, "Marking for deletion")

	t.Delete(&resourceapi.DeviceTaintRule{ObjectMeta: metav1.ObjectMeta{Name: name("rule-gone")}})
	edit.Rule(t, name("no-effect"), func(r *resourceapi.DeviceTaintRule) { r.Spec.Taint.Effect = resourceapi.DeviceTaintEffectNone })
	edit.Rule(t, name("other-device"), func(r *resourceapi.DeviceTaintRule) { r.Spec.DeviceSelector.Device = ptr.To("another-one") })
	expectInTime(t, began)

	t.WaitPodGone("deleted")
	stays(t, pods...)
}}
