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
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
)

func claimResource() resourceGroup { return resourceapi.Resource("resourceclaims") }

// small is a node with two devices, and two claims for one device each.
func small(more ...runtime.Object) []runtime.Object {
	return append([]runtime.Object{node("a"), slice("a", 2), class("class"), asking("one", 1), asking("two", 1)}, more...)
}

func TestPodGetsDevicesInOrder(t *testing.T) {
	w := newWorld(t, small()...)
	w.schedule(using("pod", "one", "two"))
	for name, want := range map[string]string{"one": "a/device-0", "two": "a/device-1"} {
		claim := w.claim(name)
		if got := devicesOf(claim); !slices.Equal(got, []string{want}) {
			t.Errorf("claim %s got %v, want %s", name, got, want)
		}
		if len(claim.Status.ReservedFor) != 1 || claim.Status.ReservedFor[0].UID != "uid-pod" {
			t.Errorf("claim %s is reserved for %v", name, claim.Status.ReservedFor)
		}
		if !slices.Contains(claim.Finalizers, resourceapi.Finalizer) || claim.Status.Allocation.AllocationTimestamp == nil {
			t.Errorf("claim %s lacks finalizer or timestamp: %v", name, claim)
		}
	}
	w.free("one", "two")
}

func TestSecondPodSharesTheClaim(t *testing.T) {
	w := newWorld(t, append(small(), node("b"))...)
	w.schedule(using("first", "one"))
	r := w.schedule(using("second", "one"))
	if r.node != "a" || r.rejected["b"] != "resourceclaim not available on the node" {
		t.Errorf("node %q, rejected %v", r.node, r.rejected)
	}
	if reserved := w.claim("one").Status.ReservedFor; len(reserved) != 2 {
		t.Errorf("reserved for %v", reserved)
	}
}

// A claim allocated with DRADeviceBindingConditions disabled, e.g. by a v1.35 scheduler, has no
// timestamp. The API server rejects adding one: allocations are immutable.
func TestPodJoinsClaimWithoutTimestamp(t *testing.T) {
	w := newWorld(t, small(asking("old", 1, allocated("a"), reservedFor("first")))...)
	before := w.claim("old").Status.Allocation
	w.schedule(using("second", "old"))
	after := w.claim("old")
	if len(after.Status.ReservedFor) != 2 || !apiequality.Semantic.DeepEqual(before, after.Status.Allocation) {
		t.Errorf("reserved for %v with allocation %v, was %v", after.Status.ReservedFor, after.Status.Allocation, before)
	}
}

// API failures during binding leave nothing behind, and the next attempt succeeds.
func TestFailuresOfTheAPI(t *testing.T) {
	conflict := apierrors.NewConflict(claimResource(), "one", errors.New("changed"))
	broken := apierrors.NewInternalError(errors.New("etcd is away"))
	refused := apierrors.NewForbidden(claimResource(), "one", errors.New("quota"))
	for _, tc := range []struct {
		name, verb, resource string
		times                int
		err                  error
		want                 string
	}{
		{"finalizer: conflict", "update", "resourceclaims", 1, conflict, ""},
		{"finalizer: conflicts", "update", "resourceclaims", 9, conflict, "add finalizer to claim ns/one"},
		{"finalizer: broken", "update", "resourceclaims", 1, broken, "add finalizer to claim ns/one"},
		{"finalizer: refused", "update", "resourceclaims", 1, refused, "add finalizer to claim ns/one"},
		{"status: conflict", "update", "resourceclaims/status", 2, conflict, ""},
		{"status: broken", "update", "resourceclaims/status", 1, broken, "add allocation and reservation to claim ns/one"},
		{"status: refused", "update", "resourceclaims/status", 1, refused, "add allocation and reservation to claim ns/one"},
		{"status: no answer", "update", "resourceclaims/status", 1, context.DeadlineExceeded, "add allocation and reservation to claim ns/one"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t, small()...)
			w.fail(tc.verb, tc.resource, tc.times, tc.err)
			got := w.find(using("pod", "one")).bind()
			if (got == "") != (tc.want == "") || !strings.Contains(got, tc.want) {
				t.Errorf("bind: %q, want %q", got, tc.want)
			}
			w.free("one")
			w.fail(tc.verb, tc.resource, 0, nil)
		})
	}
}

func TestNextAttemptAfterFailure(t *testing.T) {
	w := newWorld(t, small()...)
	w.fail("update", "resourceclaims/status", 1, apierrors.NewInternalError(errors.New("etcd is away")))
	pod := using("pod", "one", "two")
	if message := w.find(pod).bind(); message == "" {
		t.Fatal("bind works")
	}
	w.free("one", "two")
	w.schedule(pod)
	w.free("one", "two")
}

// The API server stores the allocation, but its response is lost. The devices must stay in use, and
// the pod may proceed.
func TestLostAnswerCountsAsSuccess(t *testing.T) {
	w := newWorld(t, small()...)
	lost := false
	w.client.PrependReactor("update", "resourceclaims", func(action clienttesting.Action) (bool, runtime.Object, error) {
		if action.GetSubresource() != "status" || lost {
			return false, nil, nil
		}
		lost = true
		object := action.(clienttesting.UpdateAction).GetObject()
		setVersion(object, 1000)
		if err := w.client.Tracker().Update(action.GetResource(), object, "ns"); err != nil {
			t.Error(err)
		}
		return true, nil, errors.New("connection reset")
	})
	w.schedule(using("pod", "one"))
	if got := devicesOf(w.claim("one")); len(got) != 1 {
		t.Errorf("devices %v", got)
	}
	w.free("one")
}

func TestSecondClaimFailsAfterTheFirstWasWritten(t *testing.T) {
	w := newWorld(t, small()...)
	w.client.PrependReactor("update", "resourceclaims", func(action clienttesting.Action) (bool, runtime.Object, error) {
		claim := action.(clienttesting.UpdateAction).GetObject().(*resourceapi.ResourceClaim)
		if claim.Name != "two" {
			return false, nil, nil
		}
		return true, nil, apierrors.NewForbidden(claimResource(), "two", errors.New("no"))
	})
	if message := w.find(using("pod", "one", "two")).bind(); !strings.Contains(message, "claim ns/two") {
		t.Fatalf("bind: %q", message)
	}
	// The first claim keeps its device without a reservation.
	claim := w.claim("one")
	if len(devicesOf(claim)) != 1 || len(claim.Status.ReservedFor) != 0 {
		t.Errorf("claim one: %v", claim.Status)
	}
	w.free("one", "two")
	// No other pod may get its device, even before events arrive.
	w.find(using("other", "two")).wantNode("a")
	if used := w.plugin.cluster.state.Snapshot(); used.Pool(poolOf("a")).Device("device-0").Whole != true {
		t.Error("device-0 is taken for free")
	}
}

func TestUnreserveGoesOnWhenTheClaimCannotBeRead(t *testing.T) {
	w := newWorld(t, small()...)
	w.schedule(using("first", "one"))
	w.fail("get", "resourceclaims", 1, apierrors.NewInternalError(errors.New("etcd is away")))
	w.fail("update", "resourceclaims", 1, apierrors.NewForbidden(claimResource(), "two", errors.New("no")))
	if message := w.find(using("pod", "one", "two")).bind(); message == "" {
		t.Fatal("bind works")
	}
	if consumers := w.claim("one").Status.ReservedFor; len(consumers) != 2 {
		t.Errorf("consumers %v, although they could not be looked at", consumers)
	}
	w.free("one", "two")
}

func TestClaimChangesWhileThePodIsBound(t *testing.T) {
	for _, tc := range []struct {
		name   string
		pod    string
		change func(w *world)
		want   string
	}{
		{"deleted", "one", func(w *world) { w.delete("one") }, "not found"},
		{"deleted and created again", "one", func(w *world) {
			w.delete("one")
			w.create(asking("one", 1, func(c *resourceapi.ResourceClaim) { c.UID = "another" }))
		}, "claim ns/one got deleted in the meantime"},
		{"allocated elsewhere", "one", func(w *world) { w.update("one", allocated("b")) }, "claim ns/one got allocated elsewhere in the meantime"},
		{"deallocated", "shared", func(w *world) {
			w.update("shared", func(c *resourceapi.ResourceClaim) { c.Status.Allocation = nil })
		}, "claim ns/shared got deallocated elsewhere in the meantime"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t, small(asking("shared", 1, allocated("a")))...)
			r := w.find(using("pod", tc.pod))
			if status := w.plugin.Reserve(w.ctx, r.cycle, r.pod, r.node); !status.IsSuccess() {
				t.Fatal(status)
			}
			tc.change(w)
			// The fake API server does not compare versions.
			w.fail("update", "resourceclaims", 1, apierrors.NewConflict(claimResource(), "one", errors.New("changed")))
			w.fail("update", "resourceclaims/status", 1, apierrors.NewConflict(claimResource(), "one", errors.New("changed")))
			status := w.plugin.PreBind(w.ctx, r.cycle, r.pod, r.node)
			if !strings.Contains(status.Message(), tc.want) {
				t.Errorf("PreBind: %q, want %q", status.Message(), tc.want)
			}
			w.plugin.Unreserve(w.ctx, r.cycle, r.pod, r.node)
			if n := w.manager.pending(); n != 0 {
				t.Errorf("%d pending allocations left", n)
			}
		})
	}
}
