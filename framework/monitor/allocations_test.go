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

package monitor

import (
	"testing"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/follow"
)

func byTest(c *resourceapi.ResourceClaim) *resourceapi.ResourceClaim {
	c.ManagedFields = nil
	writtenBy(c, "dratest", "f:status", "f:allocation")
	return c
}

func TestDevicesHandedOutTwice(t *testing.T) {
	type state = follow.State[*resourceapi.ResourceClaim]
	none := stateOf[*resourceapi.ResourceClaim](true)
	for name, test := range map[string]struct {
		states []state
		want   string
	}{
		"different devices": {[]state{none, stateOf(false, claim("a", "x")), stateOf(false, claim("b", "y"), claim("a", "x"))}, ""},
		"the same device":   {[]state{none, stateOf(false, claim("a", "x")), stateOf(false, claim("b", "x"), claim("a", "x"))}, "double-allocated"},
		"twice in a claim":  {[]state{none, stateOf(false, claim("a", "x", "x"))}, "double-allocated"},
		"one after the other": {[]state{
			none, stateOf(false, claim("a", "x")), without(claim("a", "x"), claim("b")), stateOf(false, claim("b", "x")),
		}, ""},
		"deallocated in between": {[]state{
			none, stateOf(false, claim("a", "x")), stateOf(false, claim("a")), stateOf(false, claim("b", "x"), claim("a")),
		}, ""},
		"gone in the next list": {[]state{none, stateOf(false, claim("a", "x")), stateOf(true, claim("b", "x"))}, ""},
		"both in the next list": {[]state{none, stateOf(false, claim("a", "x")), stateOf(true, claim("a", "x"), claim("b", "x"))}, "double-allocated"},
		"before the run":        {[]state{stateOf(true, claim("a", "x"), claim("b", "x"))}, ""},
		"changed later":         {[]state{stateOf(true, claim("a", "x"), claim("b", "x")), stateOf(false, reservedFor(claim("a", "x"), "p"), claim("b", "x"))}, ""},
		"the second by a case":  {[]state{none, stateOf(false, claim("a", "x")), stateOf(false, byTest(claim("b", "x")), claim("a", "x"))}, ""},
		"the first by a case":   {[]state{none, stateOf(false, byTest(claim("a", "x"))), stateOf(false, claim("b", "x"), byTest(claim("a", "x")))}, "double-allocated"},
	} {
		t.Run(name, func(t *testing.T) {
			a, found := newAllocations(), []observation{}
			for _, s := range test.states {
				found = append(found, a.see(s, t0)...)
			}
			if got := rules(found); got != test.want {
				t.Errorf("found %q, want %q", got, test.want)
			}
		})
	}
}

func TestCountersAreThoseOfTheTime(t *testing.T) {
	three, four := slice("3", 1, "x", "y"), slice("4", 1, "x", "y")
	type publish struct {
		at    time.Duration
		slice *resourceapi.ResourceSlice
	}
	for name, test := range map[string]struct {
		published []publish
		want      string
	}{
		"enough":                   {[]publish{{0, four}}, ""},
		"too few":                  {[]publish{{0, three}}, "counter-negative"},
		"published just before":    {[]publish{{59 * time.Second, three}}, "counter-negative"},
		"fewer since just before":  {[]publish{{0, four}, {59 * time.Second, three}}, ""},
		"fewer just after":         {[]publish{{0, four}, {61 * time.Second, three}}, ""},
		"more just after":          {[]publish{{0, three}, {61 * time.Second, four}}, ""},
		"fewer for a while":        {[]publish{{0, four}, {30 * time.Second, three}}, "counter-negative"},
		"incomplete pool":          {[]publish{{0, slice("3", 2, "x", "y")}}, ""},
		"without one of the claim": {[]publish{{0, slice("3", 1, "x")}}, ""},
		"nothing published":        {nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			a, p := newAllocations(), newPools()
			a.see(stateOf[*resourceapi.ResourceClaim](true), t0)
			publish := func(before time.Duration) {
				for len(test.published) > 0 && test.published[0].at < before {
					p.see(stateOf(false, test.published[0].slice), after(test.published[0].at))
					test.published = test.published[1:]
				}
			}
			publish(time.Minute)
			a.see(stateOf(false, claim("a", "x")), after(time.Minute))
			found := a.see(stateOf(false, claim("b", "y"), claim("a", "x")), after(time.Minute))
			found = append(found, a.late(p, after(time.Minute+settle/2))...)
			publish(time.Hour)
			found = append(found, a.late(p, after(time.Minute+settle))...)
			found = append(found, a.late(p, after(2*time.Minute))...)
			if got := rules(found); got != test.want {
				t.Errorf("found %q, want %q", got, test.want)
			}
		})
	}
}

func TestSharesOfTheCapacity(t *testing.T) {
	published := slice("4", 1)
	published.Spec.SharedCounters = nil
	published.Spec.Devices = []resourceapi.Device{{
		Name: "x", AllowMultipleAllocations: ptr.To(true), Capacity: map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{"memory": {Value: resource.MustParse("8")}},
	}}
	whole := published.DeepCopy()
	whole.Spec.Devices[0].AllowMultipleAllocations = nil
	share := func(name, amount string) *resourceapi.ResourceClaim {
		c := claim(name, "x")
		r := &c.Status.Allocation.Devices.Results[0]
		r.ShareID, r.ConsumedCapacity = ptr.To(c.UID), map[resourceapi.QualifiedName]resource.Quantity{"memory": resource.MustParse(amount)}
		return c
	}
	for name, test := range map[string]struct {
		slice  *resourceapi.ResourceSlice
		amount string
		want   string
	}{
		"enough":       {published, "5", ""},
		"too much":     {published, "6", "capacity-exceeded"},
		"of one alone": {whole, "5", "not-shareable"},
	} {
		a, p := newAllocations(), newPools()
		a.see(stateOf[*resourceapi.ResourceClaim](true), t0)
		p.see(stateOf(false, test.slice), t0)
		a.see(stateOf(false, share("a", "3")), t0)
		a.see(stateOf(false, share("b", test.amount), share("a", "3")), t0)
		if got := rules(a.late(p, after(settle))); got != test.want {
			t.Errorf("%s: found %q, want %q", name, got, test.want)
		}
	}
}

func TestPoolsMayBeIncompleteForAMinute(t *testing.T) {
	half, byHand := slice("4", 2, "x"), slice("4", 2, "x")
	byHand.ManagedFields = nil
	writtenBy(byHand, "dratest", "f:spec")
	for name, test := range map[string]struct {
		published *resourceapi.ResourceSlice
		then      *resourceapi.ResourceSlice
		want      string
	}{
		"complete":              {slice("4", 1, "x"), nil, ""},
		"incomplete":            {half, nil, "pool-incomplete"},
		"complete in time":      {half, slice("4", 1, "x"), ""},
		"still incomplete":      {half, half, "pool-incomplete"},
		"published by a case":   {byHand, nil, ""},
		"complete, then a half": {slice("4", 1, "x"), half, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPools()
			p.see(stateOf(false, test.published), t0)
			if test.then != nil {
				p.see(stateOf(false, test.then), after(30*time.Second))
			}
			found := append(p.incomplete("d", after(patience-time.Second)), p.incomplete("d", after(patience))...)
			if got := rules(found); got != test.want {
				t.Errorf("found %q, want %q", got, test.want)
			}
			for _, o := range append(found, p.incomplete("other", after(patience))...) {
				if o.ours == o.warning {
					t.Errorf("ours %t, warning %t", o.ours, o.warning)
				}
			}
		})
	}
}
