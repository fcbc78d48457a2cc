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
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
)

func TestPodWithoutClaimsIsSkipped(t *testing.T) {
	w := newWorld(t, node("a"), class("class"))
	_, status := w.plugin.PreFilter(w.ctx, &testCycle{data: map[fwkKey]fwkData{}}, using("pod"), nil)
	if !status.IsSkip() {
		t.Errorf("PreFilter: %v, want Skip", status)
	}
}

func TestPreFilterAndFilterReject(t *testing.T) {
	two := []runtime.Object{node("a"), node("b"), slice("a", 2), slice("b", 2), class("class")}
	for _, tc := range []struct {
		name  string
		claim *resourceapi.ResourceClaim
		want  string
	}{
		{"too many", asking("claim", 3), "cannot allocate all claims: claim ns/claim, request request wants 3 devices, too few match its selectors"},
		{"class missing", asking("claim", 1, func(c *resourceapi.ResourceClaim) {
			c.Spec.Devices.Requests[0].Exactly.DeviceClassName = "gone"
		}), "request request: device class gone does not exist"},
		{"class of alternative missing", asking("claim", 1, alternatives("class", "gone")), "request request/gone: device class gone does not exist"},
		{"no class", asking("claim", 1, func(c *resourceapi.ResourceClaim) {
			c.Spec.Devices.Requests[0].Exactly.DeviceClassName = ""
		}), "request request: unsupported request type"},
		{"unknown request", asking("claim", 1, func(c *resourceapi.ResourceClaim) {
			c.Spec.Devices.Requests[0].Exactly = nil
		}), "resource claim ns/claim, request request: unknown request type"},
		{"unknown mode", asking("claim", 1, func(c *resourceapi.ResourceClaim) {
			c.Spec.Devices.Requests[0].Exactly.AllocationMode = "FromTheFuture"
		}), "FromTheFuture"},
		{"selector does not compile", asking("claim", 1, selecting("device.nonsense(")), "claim ns/claim: selector #0: CEL compile error"},
		{"selector fails", asking("claim", 1, selecting(`device.attributes["x"].y == "z"`)), "no such key: y"},
		{"deleted", asking("claim", 1, func(c *resourceapi.ResourceClaim) {
			now := metav1.NewTime(time.Unix(1, 0))
			c.DeletionTimestamp, c.Finalizers = &now, []string{"some/thing"}
		}), `resourceclaim "claim" is being deleted`},
		{"other node and one more device", asking("claim", 1, allocated("c")), "resourceclaim not available on the node"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t, append(slices.Clone(two), tc.claim)...)
			w.find(using("pod", "claim")).wantRejected(tc.want)
		})
	}
}

func TestClaimOfAnotherPodIsRejected(t *testing.T) {
	w := newWorld(t, node("a"), slice("a", 1), class("class"), asking("claim", 1))
	pod := using("pod", "claim")
	template, name := "template", "claim"
	pod.Spec.ResourceClaims[0].ResourceClaimName = nil
	pod.Spec.ResourceClaims[0].ResourceClaimTemplateName = &template
	w.find(pod).wantRejected("ResourceClaim not created yet")
	pod.Status.ResourceClaimStatuses = append(pod.Status.ResourceClaimStatuses, podClaim(pod.Spec.ResourceClaims[0].Name, &name))
	w.find(pod).wantRejected("was not created for")
	if status := w.plugin.PreEnqueue(w.ctx, pod); status.IsSuccess() {
		t.Error("PreEnqueue lets the pod pass")
	}
	// The controller found no need for a claim.
	pod.Status.ResourceClaimStatuses[0].ResourceClaimName = nil
	if status := w.plugin.PreEnqueue(w.ctx, pod); !status.IsSuccess() {
		t.Errorf("PreEnqueue: %v", status)
	}
}

func TestPrioritizedListOff(t *testing.T) {
	features := AllFeatures()
	features.PrioritizedList = false
	w := newWorldWith(t, DefaultArgs(), features, node("a"), class("class"), asking("claim", 1, alternatives("class")))
	w.find(using("pod", "claim")).wantRejected("has subrequests, but the DRAPrioritizedList feature is disabled")
}

func TestFilterTimeout(t *testing.T) {
	// The clock is not read for the first few hundred devices.
	devices := slice("a", 1000)
	devices.Spec.Devices[999].Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"last": {BoolValue: ptr.To(true)}}
	objects := []runtime.Object{node("a"), devices, class("class"), asking("claim", 1, selecting(`"last" in device.attributes["`+driver+`"]`))}
	args := DefaultArgs()
	args.FilterTimeout.Duration = time.Nanosecond
	for policy, want := range map[TimeoutPolicy]string{
		SkipNode:     "timed out trying to allocate devices",
		AbortAttempt: "node a: timed out trying to allocate devices",
	} {
		t.Run(string(policy), func(t *testing.T) {
			args.FilterTimeoutPolicy = policy
			w := newWorldWith(t, args, AllFeatures(), objects...)
			r := w.find(using("pod", "claim"))
			if r.rejected["a"] != want {
				t.Errorf("rejected with %q, want %q", r.rejected["a"], want)
			}
		})
	}
	t.Run("off", func(t *testing.T) {
		features := AllFeatures()
		features.SchedulerFilterTimeout = false
		newWorldWith(t, args, features, objects...).schedule(using("pod", "claim"))
	})
}

func TestSearchThatIsTooHardSkipsTheNode(t *testing.T) {
	args := DefaultArgs()
	args.MaxSearchSteps = 1
	w := newWorldWith(t, args, AllFeatures(), node("a"), slice("a", 8), class("class"), asking("claim", 4))
	w.find(using("pod", "claim")).wantRejected("search for devices given up")
}

func TestNodesThatAreAlikeGiveTheSameReason(t *testing.T) {
	w := newWorld(t, node("a"), node("b"), slice("a", 1), slice("b", 1), class("class"), asking("claim", 2))
	r := w.find(using("pod", "claim"))
	if r.rejected["a"] != r.rejected["b"] {
		t.Errorf("reasons differ: %v", r.rejected)
	}
}

// 120 nodes with different numbers of devices made a condition of 14,619 characters, changed by each
// device.
func TestReasonsDifferByCauseOnly(t *testing.T) {
	objects := []runtime.Object{class("class"), asking("claim", 32)}
	for i := range 120 {
		name := fmt.Sprintf("node-%d", i)
		objects = append(objects, node(name), slice(name, i%31))
	}
	r := newWorld(t, objects...).find(using("pod", "claim"))
	const reason = "cannot allocate all claims: claim ns/claim, request request wants 32 devices, "
	want := map[string]int{reason + "too few match its selectors": 116, reason + "the node has none": 4}
	got := map[string]int{}
	for _, message := range r.rejected {
		got[message]++
	}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
