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

package evictplan_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/implementation/evictplan"
)

func TestForPod(t *testing.T) {
	p := pod("p", withClaim("c"))
	tainted := some(slice("s", 1, noExecute("broken")))
	after := func(d time.Duration) *time.Time { return new(begin.Add(d)) }
	for name, tc := range map[string]struct {
		world evictplan.World
		pod   *corev1.Pod
		// want is the time of the eviction, nil for none.
		want *time.Time
	}{
		"tainted in a slice":        {world(tainted, nil, claim("c", p)), p, after(0)},
		"tainted by a rule":         {world(nil, some(rule("r", "dev", noExecute("broken"))), claim("c", p)), p, after(0)},
		"no taint":                  {world(some(slice("s", 1)), nil, claim("c", p)), p, nil},
		"another device":            {world(tainted, some(rule("r", "x", noExecute("broken"))), claim("c", p, device("other"))), p, nil},
		"harmless effect":           {world(some(slice("s", 1, taint("broken", resourceapi.DeviceTaintEffectNoSchedule))), nil, claim("c", p)), p, nil},
		"rule with harmless effect": {world(nil, some(rule("r", "dev", taint("broken", resourceapi.DeviceTaintEffectNone))), claim("c", p)), p, nil},
		"made from a template":      {world(tainted, nil, claim("c", p, ownedBy(p))), pod("p", withTemplate("c")), after(0)},
		"made for another pod":      {world(tainted, nil, claim("c", p, ownedBy(pod("q")))), pod("p", withTemplate("c")), nil},
		"not reserved":              {world(tainted, nil, claim("c", pod("q"))), p, nil},
		"not allocated":             {world(tainted, nil, claim("c", p, func(c *resourceapi.ResourceClaim) { c.Status.Allocation = nil })), p, nil},
		"claim is missing":          {world(tainted, nil), p, nil},
		"claim is not named yet": {world(tainted, nil, claim("c", p, ownedBy(p))),
			pod("p", withTemplate("c"), func(p *corev1.Pod) { p.Status.ResourceClaimStatuses = nil }), nil},
		"claim is not needed": {world(tainted, nil, claim("c", p, ownedBy(p))),
			pod("p", withTemplate("c"), func(p *corev1.Pod) { p.Status.ResourceClaimStatuses[0].ResourceClaimName = nil }), nil},
		"not on a node": {world(tainted, nil, claim("c", p)), pod("p", withClaim("c"), func(p *corev1.Pod) { p.Spec.NodeName = "" }), nil},
		"has ended":     {world(tainted, nil, claim("c", p)), pod("p", withClaim("c"), func(p *corev1.Pod) { p.Status.Phase = corev1.PodFailed }), nil},
		"being deleted": {world(tainted, nil, claim("c", p)), pod("p", withClaim("c"), func(p *corev1.Pod) { p.DeletionTimestamp = &metav1.Time{} }), nil},
		// kubernetes#141290
		"extended resources":          {world(tainted, nil, claim("c", p, ownedBy(p))), pod("p", withExtended("c")), after(0)},
		"extended resources, other's": {world(tainted, nil, claim("c", p)), pod("p", withExtended("c")), nil},
		"tolerated forever":           {world(tainted, nil, claim("c", p, tolerates(toleration("broken", -1)))), p, nil},
		"tolerated for a time":        {world(tainted, nil, claim("c", p, tolerates(toleration("broken", 60)))), p, after(time.Minute)},
		"the shortest time counts":    {world(tainted, nil, claim("c", p, tolerates(toleration("broken", 60), toleration("", 20)))), p, after(20 * time.Second)},
		"forever beats a time":        {world(tainted, nil, claim("c", p, tolerates(toleration("broken", 60), toleration("", -1)))), p, nil},
		"another taint is tolerated":  {world(tainted, nil, claim("c", p, tolerates(toleration("dusty", -1)))), p, after(0)},
		"negative time": {world(tainted, nil, claim("c", p, tolerates(func() (x resourceapi.DeviceToleration) {
			x = toleration("broken", 0)
			*x.TolerationSeconds = -5
			return
		}()))), p, after(0)},
		"toleration of all effects":      {world(tainted, nil, claim("c", p, tolerates(resourceapi.DeviceToleration{Operator: resourceapi.DeviceTolerationOpExists}))), p, nil},
		"of all effects, with a time":    {world(tainted, nil, claim("c", p, tolerates(resourceapi.DeviceToleration{Operator: resourceapi.DeviceTolerationOpExists, TolerationSeconds: new(int64(5))}))), p, nil},
		"toleration of another effect":   {world(tainted, nil, claim("c", p, tolerates(resourceapi.DeviceToleration{Operator: resourceapi.DeviceTolerationOpExists, Effect: resourceapi.DeviceTaintEffectNoSchedule}))), p, after(0)},
		"taint without a time":           {world(some(slice("s", 1, resourceapi.DeviceTaint{Key: "k", Effect: resourceapi.DeviceTaintEffectNoExecute})), nil, claim("c", p)), p, &time.Time{}},
		"slice of an old generation":     {world(some(slice("s", 1, noExecute("broken")), slice("t", 2)), nil, claim("c", p)), p, nil},
		"first of two claims":            {world(tainted, nil, claim("c", p, tolerates(toleration("broken", 9))), claim("d", p)), pod("p", withClaim("c"), withClaim("d")), after(0)},
		"rule without selector":          {world(nil, some(&resourceapi.DeviceTaintRule{Spec: resourceapi.DeviceTaintRuleSpec{Taint: noExecute("broken")}}), claim("c", p)), p, nil},
		"rule with an empty selector":    {world(nil, some(&resourceapi.DeviceTaintRule{Spec: resourceapi.DeviceTaintRuleSpec{DeviceSelector: &resourceapi.DeviceTaintSelector{}, Taint: noExecute("broken")}}), claim("c", p)), p, after(0)},
		"rule for another driver's pool": {world(nil, some(&resourceapi.DeviceTaintRule{Spec: resourceapi.DeviceTaintRuleSpec{DeviceSelector: &resourceapi.DeviceTaintSelector{Driver: new("x"), Pool: new("pool")}, Taint: noExecute("broken")}}), claim("c", p)), p, nil},
	} {
		t.Run(name, func(t *testing.T) {
			eviction, evict := tc.world.ForPod(tc.pod)
			var got *time.Time
			if evict {
				got = &eviction.At
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("wrong time:\n%s", diff)
			}
		})
	}
}

func TestCausesAreAllThatIsNotToleratedForever(t *testing.T) {
	p := pod("p", withClaim("c"), withClaim("d"))
	w := world(some(slice("s", 1, noExecute("broken"), noExecute("dusty"))), some(rule("r2", "dev", noExecute("old")), rule("r1", "dev", noExecute("old"))),
		claim("c", p, tolerates(toleration("dusty", -1))), claim("d", p, tolerates(toleration("dusty", -1), toleration("old", 60))))
	eviction, _ := w.ForPod(p)
	dev := evictplan.DeviceID{Driver: "driver", Pool: "pool", Device: "dev"}
	want := []evictplan.Cause{
		{Device: dev, Key: "broken"},
		{Rule: evictplan.RuleRef{Name: "r1", UID: "r1-uid"}, Device: dev, Key: "old"},
		{Rule: evictplan.RuleRef{Name: "r2", UID: "r2-uid"}, Device: dev, Key: "old"},
	}
	if diff := cmp.Diff(want, eviction.Causes); diff != "" {
		t.Errorf("wrong causes:\n%s", diff)
	}
}

func TestPoolsTellWhatChanges(t *testing.T) {
	dev := evictplan.DeviceID{Driver: "driver", Pool: "pool", Device: "dev"}
	moved := slice("s", 2, noExecute("broken"))
	moved.Spec.Pool.Name = "elsewhere"
	there := evictplan.DeviceID{Driver: "driver", Pool: "elsewhere", Device: "dev"}
	var pools evictplan.Pools
	for _, step := range []struct {
		name         string
		old, updated *resourceapi.ResourceSlice
		want         []evictplan.DeviceID
	}{
		{"a slice without taints", nil, slice("s", 1), nil},
		{"a taint", slice("s", 1), slice("s", 1, noExecute("broken")), some(dev)},
		{"the same again", slice("s", 1, noExecute("broken")), slice("s", 1, noExecute("broken")), nil},
		{"a harmless one", slice("s", 1, noExecute("broken")), slice("s", 1, noExecute("broken"), taint("x", resourceapi.DeviceTaintEffectNone)), nil},
		{"another slice", nil, slice("t", 1, noExecute("dusty")), some(dev)},
		{"that is replaced by a newer generation", slice("t", 1, noExecute("dusty")), slice("t", 2), some(dev)},
		{"what is old now, changes", slice("s", 1, noExecute("broken")), slice("s", 1), nil},
		{"and catches up", slice("s", 1), slice("s", 2, noExecute("broken")), some(dev)},
		{"another pool", slice("s", 2, noExecute("broken")), moved, some(dev, there)},
		{"gone", moved, nil, some(there)},
		{"the last one", slice("t", 2), nil, nil},
	} {
		if diff := cmp.Diff(step.want, pools.Set(step.old, step.updated)); diff != "" {
			t.Errorf("%s:\n%s", step.name, diff)
		}
	}
}
