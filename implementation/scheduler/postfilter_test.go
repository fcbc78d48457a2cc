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
	"strings"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

func TestPostFilterDeallocates(t *testing.T) {
	for _, tc := range []struct {
		name      string
		claim     *resourceapi.ResourceClaim
		want      string
		allocated bool
	}{
		{"nobody uses it", asking("claim", 1, allocated("gone")), "deallocation of ResourceClaim completed", false},
		{"only the pod uses it", asking("claim", 1, allocated("gone"), reservedFor("pod")), "deallocation of ResourceClaim completed", false},
		{"another pod uses it", asking("claim", 1, allocated("gone"), reservedFor("other")), "", true},
		{"another pod uses it, too", asking("claim", 1, allocated("gone"), reservedFor("pod", "other")), "", true},
		{"it is not the problem", asking("claim", 1, allocated("a")), "", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t, node("a"), slice("a", 2), class("class"), tc.claim, asking("big", 9))
			pod := using("pod", "claim")
			if tc.allocated {
				pod = using("pod", "claim", "big")
			}
			r := w.find(pod)
			if r.node != "" {
				t.Fatalf("fits %s", r.node)
			}
			if got := r.postFilter(); got != tc.want {
				t.Errorf("PostFilter: %q, want %q", got, tc.want)
			}
			if got := w.claim("claim").Status.Allocation != nil; got != tc.allocated {
				t.Errorf("allocated: %v, want %v", got, tc.allocated)
			}
			if !tc.allocated {
				w.schedule(pod) // immediately, before the informer's event
			}
		})
	}
}

func TestPostFilterReportsFailure(t *testing.T) {
	w := newWorld(t, node("a"), slice("a", 2), class("class"), asking("claim", 1, allocated("gone")))
	r := w.find(using("pod", "claim"))
	w.fail("update", "resourceclaims/status", 1, apierrors.NewForbidden(claimResource(), "claim", errors.New("no")))
	if got := r.postFilter(); !strings.Contains(got, "deallocate claim ns/claim") {
		t.Errorf("PostFilter: %q", got)
	}
	// The claim still counts as allocated.
	w.find(using("pod", "claim")).wantRejected("resourceclaim not available on the node")
}

// The scheduling queue sees a freed device first and retries the pod before the plugin's own event.
func TestPodIsTriedAgainIfTheUseWasOutdated(t *testing.T) {
	w := newWorld(t, node("a"), slice("a", 1), class("class"), asking("claim", 1), asking("old", 1, allocated("a")))
	w.plugin.cluster.caughtUp(w.ctx) // the initial list
	pod := using("pod", "claim")
	r := w.find(pod)
	r.wantRejected("most matching devices are allocated")
	r.postFilter()
	if woken := w.handle.woken(); len(woken) != 0 {
		t.Errorf("woken without a reason: %v", woken)
	}
	r = w.find(pod)
	w.update("old", func(c *resourceapi.ResourceClaim) { c.Status.Allocation = nil })
	r.postFilter()
	if woken := w.handle.woken(); len(woken) != 1 {
		t.Errorf("woken: %v, want the pod", woken)
	}
}

func TestBindingConditionsThatFailedAreTakenBack(t *testing.T) {
	failed := asking("claim", 1, allocated("a"), conditions("broken"))
	w := newWorld(t, node("a"), slice("a", 2), class("class"), failed)
	r := w.find(using("pod", "claim"))
	r.wantRejected("resourceclaim not available on the node")
	if got := r.postFilter(); got != "deallocation of ResourceClaim completed" {
		t.Errorf("PostFilter: %q", got)
	}
}

// A claim with a ready device blocks all nodes except its own, and a claim with a failed device blocks
// that one. Deallocating in any order gave up a ready device for nothing.
func TestFailedClaimsAreTakenBackFirst(t *testing.T) {
	for range 20 { // the order of a set is random
		w := newWorld(t, node("a"), node("b"), slice("a", 2), class("class"),
			asking("ready", 1, allocated("a"), conditions("ready")), asking("failed", 1, allocated("a"), conditions("broken")))
		w.find(using("pod", "ready", "failed")).postFilter()
		if w.claim("ready").Status.Allocation == nil || w.claim("failed").Status.Allocation != nil {
			t.Fatal("the claim was taken back whose device is ready")
		}
	}
}
