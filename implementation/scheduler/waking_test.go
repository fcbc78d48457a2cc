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
	"errors"
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// templated returns a pod with a generated claim of this name; empty means it is missing.
func templated(name, claim string) *v1.Pod {
	pod := using(name)
	pod.Spec.ResourceClaims = []v1.PodResourceClaim{{Name: "claim", ResourceClaimTemplateName: ptr.To("template")}}
	if claim != "" {
		pod.Status.ResourceClaimStatuses = []v1.PodResourceClaimStatus{{Name: "claim", ResourceClaimName: &claim}}
	}
	return pod
}

func TestCreatedClaimWakesItsPods(t *testing.T) {
	bound := using("bound", "late")
	bound.Spec.NodeName = "a"
	w := newWorld(t, small(using("pod", "one", "late"), templated("generated", "late"), templated("early", ""), using("other", "one"), bound)...)
	w.create(asking("late", 1))
	var woken []string
	w.until("pods are tried again", func() bool {
		woken = append(woken, w.handle.woken()...)
		return len(woken) >= 2
	})
	slices.Sort(woken)
	if !slices.Equal(woken, []string{"ns/generated", "ns/pod"}) {
		t.Errorf("woken: %v", woken)
	}
	w.update("late", allocated("a"))
	if woken := w.handle.woken(); len(woken) != 0 {
		t.Errorf("woken by a change, which is for the scheduling queue: %v", woken)
	}
}

// Pods are woken once. If the DRA manager lagged behind, the pod would be rejected forever.
func TestManagerIsBehind(t *testing.T) {
	w := newWorld(t, small()...)
	w.manager.missing = errors.New("object not found")
	w.find(using("pod", "one")).wantNode("a")
	if _, err := w.plugin.claim("ns", "none"); !errors.Is(err, w.manager.missing) {
		t.Errorf("claim that nobody knows: %v", err)
	}
	w.manager.missing = nil
	old := asking("one", 1, func(c *resourceapi.ResourceClaim) { c.UID, c.ResourceVersion = "old", "1000" })
	w.manager.assumed["ns/one"] = old
	if claim, err := w.plugin.claim("ns", "one"); err != nil || claim.UID != "uid-one" {
		t.Errorf("got claim %v, %v instead of the one that exists", claim, err)
	}
}

func TestPodsToAsk(t *testing.T) {
	w := newWorld(t, small(using("pod", "one"), using("other", "two"))...)
	free, taken := asking("one", 1), asking("one", 1, allocated("a"))
	got, err := w.plugin.podsToAsk(w.logger(), free, taken)
	if want := []types.NamespacedName{{Namespace: "ns", Name: "pod"}}; err != nil || got.AllPods || !slices.Equal(got.Pods, want) {
		t.Errorf("claim was allocated: %v, %v, want %v", got, err, want)
	}
	for name, change := range map[string][2]any{"freed": {taken, free}, "deleted": {taken, nil}} {
		if got, err := w.plugin.podsToAsk(w.logger(), change[0], change[1]); err != nil || !got.AllPods {
			t.Errorf("claim was %s: %v, %v, want all pods", name, got, err)
		}
	}
	if _, err := w.plugin.podsToAsk(w.logger(), 1, 1); err == nil {
		t.Error("wrong type: no error")
	}
}
