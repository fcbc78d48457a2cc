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

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/spec"
)

// tolerated is the number of seconds a taint is tolerated before it is removed.
const tolerated = 15

// GivenUp removes the reason for pending evictions in five ways: taint gone, effect NoSchedule,
// slice deleted, device untainted in a newer generation, claim deallocated. A pod with an unchanged
// device is evicted.
var GivenUp = harness.Case{Meta: spec.Meta{
	ID:       "eviction/given-up",
	Checks:   "A pending eviction is cancelled when its reason disappears within the tolerated seconds.",
	Requires: []spec.RequirementID{"kep-5055/eviction-given-up", "kep-5055/toleration-seconds"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.DeviceTaints}},
	WaitsFor: "The pods tolerate the taint for 15 s, so there is time to remove it.",
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	pods := []string{"taint-gone", "no-schedule", "slice-gone", "newer-slice", "deallocated"}
	for _, name := range append(pods, "deleted", "at-once") {
		t.Publish(name, t.Nodes[0], named(name))
	}
	for _, name := range append(pods, "deleted") {
		tolerant(t, class, name, forSeconds(tolerated))
	}
	tolerant(t, class, "at-once")
	began := time.Now()
	give := func(name string, added *metav1.Time) {
		noExecute := broken(resourceapi.DeviceTaintEffectNoExecute)
		noExecute.TimeAdded = added
		taint(t, name, map[string]resourceapi.DeviceTaint{name: noExecute})
	}
	slice := func(pool string) string { return pool + "-" + t.DriverName() }
	give("deleted", nil)
	last := &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: slice("deleted")}}
	t.Get(last)
	for _, name := range pods {
		give(name, earlier(last.Spec.Devices[0].Taints[0].TimeAdded))
	}
	give("at-once", nil)
	t.WaitEvent("at-once", event, "Marking for deletion") // the controller has seen all taints

	edit.Slice(t, slice("taint-gone"), func(s *resourceapi.ResourceSlice) { s.Spec.Devices[0].Taints = nil })
	edit.Slice(t, slice("no-schedule"), func(s *resourceapi.ResourceSlice) {
		s.Spec.Devices[0].Taints[0].Effect = resourceapi.DeviceTaintEffectNoSchedule
	})
	t.Delete(&resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: slice("slice-gone")}})
	newer := t.Slice("newer-slice", t.Nodes[0], named("newer-slice"))
	newer.Name, newer.Spec.Pool.Generation = "newer-"+newer.Name, newer.Spec.Pool.Generation+1
	t.Create(newer)
	edit.ClaimStatus(t, "deallocated", func(c *resourceapi.ResourceClaim) { c.Status = resourceapi.ResourceClaimStatus{} })

	expectInTime(t, began)

	t.WaitPodGone("deleted")
	due := last.Spec.Devices[0].Taints[0].TimeAdded.Add(tolerated * time.Second)
	t.Expect(t.WaitEvent("deleted", event, "Marking for deletion")).To(gomega.And(gomega.BeTemporally(">=", due.Add(-time.Second)), gomega.BeTemporally("<=", due.Add(2*patience))),
		"time of the eviction after %d tolerated seconds", tolerated)
	stays(t, pods...)
}}

// earlier is subtracted from the taint time of pods to be evicted before the last one: once that
// pod is gone, their time is over, too.
func earlier(added *metav1.Time) *metav1.Time { return &metav1.Time{Time: added.Add(-2 * time.Second)} }

// expectInTime fails the case if removing the reasons took so long that evictions would be correct.
func expectInTime(t *harness.T, began time.Time) {
	t.Expect(time.Since(began)).To(gomega.BeNumerically("<", (tolerated-4)*time.Second), "time to add and remove the taints; the cluster was too slow")
}
