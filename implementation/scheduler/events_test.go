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

package scheduler

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/client-go/tools/cache"
	fwk "k8s.io/kube-scheduler/framework"
)

func TestQueueingHints(t *testing.T) {
	w := newWorld(t, small(asking("third", 1))...)
	pod := using("pod", "one")
	bare := using("bare")
	extended := wanting("extended", gpu, "1")
	lacking := using("lacking", "none")
	free, taken := w.claim("one"), asking("one", 1, allocated("a"))
	other, otherTaken := w.claim("two"), asking("two", 1, allocated("a"))
	relabeled := node("a")
	relabeled.Labels["x"] = "y"
	reserved := asking("one", 1, func(c *resourceapi.ResourceClaim) { c.Labels = map[string]string{"x": "y"} })
	for _, tc := range []struct {
		name     string
		hint     fwk.QueueingHintFn
		pod      *v1.Pod
		old, new any
		want     fwk.QueueingHint
	}{
		{"claim: own created", w.plugin.afterClaimChange, pod, nil, free, fwk.Queue},
		{"claim: own allocated", w.plugin.afterClaimChange, pod, free, taken, fwk.Queue},
		{"claim: only metadata", w.plugin.afterClaimChange, pod, free, reserved, fwk.QueueSkip},
		{"claim: other allocated", w.plugin.afterClaimChange, pod, other, otherTaken, fwk.QueueSkip},
		{"claim: other deallocated", w.plugin.afterClaimChange, pod, otherTaken, other, fwk.Queue},
		{"claim: other deleted", w.plugin.afterClaimChange, pod, other, nil, fwk.QueueSkip},
		{"claim: allocated one deleted", w.plugin.afterClaimChange, pod, otherTaken, nil, fwk.Queue},
		{"claim: deleted, nobody knows how", w.plugin.afterClaimChange, pod, cache.DeletedFinalStateUnknown{Obj: other}, nil, fwk.Queue},
		{"claim: pod still lacks one", w.plugin.afterClaimChange, lacking, otherTaken, other, fwk.QueueSkip},
		{"claim: freed for extended resources", w.plugin.afterClaimChange, extended, otherTaken, other, fwk.Queue},
		{"pod: complete", w.plugin.afterPodUpdate, pod, pod, pod, fwk.Queue},
		{"pod: incomplete", w.plugin.afterPodUpdate, lacking, lacking, lacking, fwk.QueueSkip},
		{"class: own", w.plugin.afterClassChange, pod, nil, class("class"), fwk.Queue},
		{"class: own, metadata", w.plugin.afterClassChange, pod, class("class"), class("class"), fwk.QueueSkip},
		{"class: other", w.plugin.afterClassChange, pod, nil, class("other"), fwk.QueueSkip},
		{"class: extended resource", w.plugin.afterClassChange, extended, nil, class("other"), fwk.Queue},
		{"class: pod lacks a claim", w.plugin.afterClassChange, lacking, nil, class("class"), fwk.QueueSkip},
		{"slice: new", w.plugin.afterSliceChange, pod, nil, slice("a", 1), fwk.Queue},
		{"slice: changed", w.plugin.afterSliceChange, pod, slice("a", 1), slice("a", 2), fwk.Queue},
		{"slice: metadata", w.plugin.afterSliceChange, pod, slice("a", 1), slice("a", 1), fwk.QueueSkip},
		{"node: new", w.plugin.afterNodeChange, pod, nil, node("a"), fwk.Queue},
		{"node: labels", w.plugin.afterNodeChange, pod, node("a"), relabeled, fwk.Queue},
		{"node: allocatable", w.plugin.afterNodeChange, pod, node("a"), plugged("a", gpu, "1"), fwk.QueueSkip},
		{"node: allocatable, extended", w.plugin.afterNodeChange, extended, node("a"), plugged("a", gpu, "1"), fwk.Queue},
		{"bound pod gone", w.plugin.afterPodGone, pod, bare, nil, fwk.QueueSkip},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got, err := tc.hint(w.logger(), tc.pod, tc.old, tc.new); err != nil || got != tc.want {
				t.Errorf("got %v, %v, want %v", got, err, tc.want)
			}
			if got, err := tc.hint(w.logger(), tc.pod, 1, 1); err == nil || got != fwk.Queue {
				t.Errorf("wrong type: %v, %v", got, err)
			}
		})
	}
}

func TestAllEventsHaveHints(t *testing.T) {
	events, err := (&Plugin{}).EventsToRegister(t.Context())
	if err != nil || len(events) != 6 {
		t.Fatalf("%d events, %v", len(events), err)
	}
	for _, e := range events {
		if e.QueueingHintFn == nil {
			t.Errorf("no hint for %v", e.Event)
		}
	}
}

func TestHintForAlternatives(t *testing.T) {
	if claim := asking("claim", 1, alternatives("first", "then")); !usesClass(claim, "then") || usesClass(claim, "other") {
		t.Error("usesClass")
	}
}
