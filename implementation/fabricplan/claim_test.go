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

package fabricplan_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/implementation/fabricplan"
)

// view is a claim in a healthy cluster.
func view(claim *resourceapi.ResourceClaim, answers ...fabricplan.Answer) fabricplan.ClaimView {
	v := fabricplan.ClaimView{
		Config: config(false), Claim: claim, Answers: map[string]fabricplan.Answer{}, Nodes: map[string]bool{}, Now: start(),
		NodeExists: func(string) bool { return true },
		Published:  func(string, string) bool { return false },
		Dead:       func(string) bool { return false },
	}
	for i, a := range answers {
		v.Answers[keyOf(claim, i)] = a
	}
	return v
}

func task(phase fabricplan.TaskPhase, device string) fabricplan.Answer {
	return fabricplan.Answer{Task: fabricplan.Task{Phase: phase, Device: device, Error: "cable"}}
}

// after returns the planned claim, whether it is written and whether to poll.
func after(t *testing.T, v fabricplan.ClaimView) (claim *resourceapi.ResourceClaim, wrote, poll bool) {
	t.Helper()
	claim = v.Claim
	for _, action := range fabricplan.PlanClaim(v) {
		switch action := action.(type) {
		case fabricplan.WriteStatus:
			claim, wrote = action.Apply(claim), true
		case fabricplan.PollClaim:
			poll = true
		default:
			t.Fatalf("planned %#v", action)
		}
	}
	return claim, wrote, poll
}

func TestAttachIsAskedOncePerSlot(t *testing.T) {
	claim := waiting("claim", start(), false, "free-0", "free-1")
	want := []fabricplan.Action{
		fabricplan.Attach{Key: "claim/2030-01-01T00:00:00Z/fabric/a100/free-0", Model: "a100", Node: node},
		fabricplan.Attach{Key: "claim/2030-01-01T00:00:00Z/fabric/a100/free-1", Model: "a100", Node: node},
	}
	if diff := cmp.Diff(want, fabricplan.PlanClaim(view(claim))); diff != "" {
		t.Error(diff)
	}
	// A restarted controller uses the same keys, another allocation does not.
	if keyOf(claim, 0) == keyOf(waiting("claim", start().Add(time.Second), false, "free-0"), 0) {
		t.Error("two allocations have one key")
	}
}

func TestNothingToAttach(t *testing.T) {
	deleting := waiting("claim", start(), false, "free-0")
	deleting.DeletionTimestamp = new(metav1.NewTime(start()))
	foreign := waiting("claim", start(), false, "free-0")
	foreign.Status.Allocation.Devices.Results[0].Driver = "other.example.com"
	otherFabric := waiting("claim", start(), false, "free-0")
	otherFabric.Status.Allocation.Devices.Results[0].Pool = "fabric2/a100"
	for name, claim := range map[string]*resourceapi.ResourceClaim{
		"not allocated": {}, "being deleted": deleting, "other driver": foreign, "other fabric": otherFabric,
		"local device": allocated("claim", start(), node, "a100-0"),
	} {
		if actions := fabricplan.PlanClaim(view(claim)); len(actions) > 0 {
			t.Errorf("%s: planned %v", name, actions)
		}
	}
}

func TestWhatASlotIsToldOf(t *testing.T) {
	for _, tc := range []struct {
		name       string
		reschedule bool
		answer     fabricplan.Answer
		published  bool
		dead       bool
		want       []string
		reason     string
		poll       bool
	}{
		{name: "being attached", answer: task(fabricplan.TaskRunning, "a100-0"), reason: fabricplan.ReasonAttaching, poll: true},
		{name: "ready", answer: task(fabricplan.TaskSucceeded, "a100-0"), want: []string{fabricplan.Attached}, reason: fabricplan.ReasonAttached},
		{name: "ready, not local yet", reschedule: true, answer: task(fabricplan.TaskSucceeded, "a100-0"), reason: fabricplan.ReasonNotVisible},
		{name: "local", reschedule: true, published: true, answer: task(fabricplan.TaskSucceeded, "a100-0"), want: []string{fabricplan.AttachedAsLocal}, reason: fabricplan.ReasonAttached},
		{name: "failed", answer: task(fabricplan.TaskFailed, "a100-0"), want: []string{fabricplan.AttachFailed}, reason: fabricplan.ReasonFailed},
		{name: "lost to another cluster", answer: fabricplan.Answer{Refused: fabricplan.ReasonNoneFree}, want: []string{fabricplan.AttachFailed}, reason: fabricplan.ReasonNoneFree},
		{name: "detached meanwhile", answer: fabricplan.Answer{Refused: fabricplan.ReasonKeyUsed}, want: []string{fabricplan.AttachFailed}, reason: fabricplan.ReasonKeyUsed},
		{name: "died", answer: task(fabricplan.TaskSucceeded, "a100-0"), dead: true, want: []string{fabricplan.AttachFailed}, reason: fabricplan.ReasonDied},
	} {
		t.Run(tc.name, func(t *testing.T) {
			v := view(waiting("claim", start(), tc.reschedule, "free-0"), tc.answer)
			v.Published = func(n, device string) bool { return tc.published && n == node && device == "a100-0" }
			v.Dead = func(string) bool { return tc.dead }
			claim, wrote, poll := after(t, v)
			conditions, reason := trueConditions(claim, "free-0")
			if diff := cmp.Diff(tc.want, conditions); diff != "" || reason != tc.reason || poll != tc.poll || !wrote {
				t.Errorf("reason %s, poll %t, wrote %t, conditions:\n%s", reason, poll, wrote, diff)
			}
			if g := claim.Status.Devices[0].Conditions[0].ObservedGeneration; g != 3 {
				t.Errorf("observed generation %d", g)
			}
			// Reports are not repeated.
			v.Claim, v.Now = claim, v.Now.Add(time.Hour)
			if _, wrote, _ := after(t, v); wrote {
				t.Error("written twice")
			}
		})
	}
}

func TestWhoWaitsForItsDriverIsNotAttachedAgain(t *testing.T) {
	v := view(waiting("claim", start(), true, "free-0"), task(fabricplan.TaskSucceeded, "a100-0"))
	v.Claim, _, _ = after(t, v)
	v.Answers = nil // another controller
	if claim, wrote, poll := after(t, v); wrote || poll {
		t.Errorf("wrote %t, polls %t: %v", wrote, poll, claim.Status.Devices)
	}
	v.Published = func(string, string) bool { return true }
	claim, _, _ := after(t, v)
	if conditions, _ := trueConditions(claim, "free-0"); !cmp.Equal(conditions, []string{fabricplan.AttachedAsLocal}) {
		t.Errorf("conditions %v", conditions)
	}
	var a fabricplan.Attachment
	if err := json.Unmarshal(claim.Status.Devices[0].Data.Raw, &a); err != nil || a != (fabricplan.Attachment{Key: keyOf(claim, 0), Node: node, Device: "a100-0"}) {
		t.Errorf("attachment %v, %v", a, err)
	}
}

func TestConditionsOfAnEarlierAllocation(t *testing.T) {
	claim, _, _ := after(t, view(waiting("claim", start(), false, "free-0"), task(fabricplan.TaskSucceeded, "a100-0")))
	claim.Status.Allocation.AllocationTimestamp = new(metav1.NewTime(start().Add(time.Second)))
	if _, asks := fabricplan.PlanClaim(view(claim))[0].(fabricplan.Attach); !asks {
		t.Fatal("nothing is attached")
	}
	claim, wrote, _ := after(t, view(claim, task(fabricplan.TaskRunning, "a100-1")))
	if conditions, _ := trueConditions(claim, "free-0"); len(conditions) > 0 || !wrote || len(claim.Status.Devices) != 1 {
		t.Errorf("conditions %v of %v", conditions, claim.Status.Devices)
	}
}

func TestSlotsThatCannotBeAttached(t *testing.T) {
	anywhere := waiting("claim", start(), false, "free-0")
	anywhere.Status.Allocation.NodeSelector = nil
	admin := waiting("claim", start(), false, "free-0")
	admin.Status.Allocation.Devices.Results[0].AdminAccess = new(true)
	gone := view(waiting("claim", start(), false, "free-0"))
	gone.NodeExists, gone.Nodes[node] = func(string) bool { return false }, false
	for _, tc := range []struct {
		v      fabricplan.ClaimView
		reason string
	}{{view(anywhere), fabricplan.ReasonNoNode}, {view(admin), fabricplan.ReasonAdminAccess}, {gone, fabricplan.ReasonNoNode}} {
		claim, _, _ := after(t, tc.v)
		if conditions, reason := trueConditions(claim, "free-0"); !cmp.Equal(conditions, []string{fabricplan.AttachFailed}) || reason != tc.reason {
			t.Errorf("%s: %v", reason, conditions)
		}
	}
}

// A scheduler may know a node before the controller's cache does.
func TestNodeThatTheCacheLacksIsLookedForOnce(t *testing.T) {
	v := view(waiting("claim", start(), false, "free-0", "free-1"))
	v.NodeExists = func(string) bool { return false }
	want := []fabricplan.Action{fabricplan.VerifyNode{Name: node}}
	if diff := cmp.Diff(want, fabricplan.PlanClaim(v)); diff != "" {
		t.Error(diff)
	}
	v.Nodes[node] = true
	for _, action := range fabricplan.PlanClaim(v) {
		if attach, ok := action.(fabricplan.Attach); !ok || attach.Node != node {
			t.Errorf("planned %#v", action)
		}
	}
}

// The driver's own entries are not changed.
func TestOtherDevicesOfAClaim(t *testing.T) {
	claim := waiting("claim", start(), false, "free-0")
	theirs := resourceapi.AllocatedDeviceStatus{Driver: driver, Pool: node, Device: "a100-7", Conditions: []metav1.Condition{{Type: "Ready"}}}
	claim.Status.Devices = []resourceapi.AllocatedDeviceStatus{theirs}
	claim, _, _ = after(t, view(claim, task(fabricplan.TaskSucceeded, "a100-0")))
	if len(claim.Status.Devices) != 2 || !cmp.Equal(claim.Status.Devices[0], theirs) {
		t.Errorf("status %v", claim.Status.Devices)
	}
}
