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

package nodeplan_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/implementation/nodeplan"
)

var notFound = nodeplan.Answer{Err: errors.New("rpc error: code = NotFound desc = no such claim"), NotFound: true}

// unknownTo sets up a pod whose driver answers NOT_FOUND for its claim.
func unknownTo(t *testing.T, op nodeplan.Op) *machine {
	m := newMachine(t, "a")
	p := pod("p", "c")
	m.reserve(claim("c", "a"), p)
	if op == nodeplan.Unprepare {
		done(t, m.run(p))
	}
	m.log = nil
	m.broken(op, "a", notFound)
	return m
}

const (
	prepareNotFound   = "prepare dynamic resources: NodePrepareResources: rpc error: code = NotFound desc = no such claim"
	unprepareNotFound = "unprepare dynamic resources: NodeUnprepareResources: rpc error: code = NotFound desc = no such claim"
)

// KEP-4381: "verify that the resource_id is correct and that the resource is accessible
// and has not been deleted before retrying with exponential back off".
func TestNotFoundIsRetriedWithBackoff(t *testing.T) {
	m := unknownTo(t, nodeplan.Prepare)
	p := pod("p", "c")
	outcome := m.run(p)
	failed(t, outcome, prepareNotFound)
	m.saw("write", "+a c", "look up c")
	for _, wait := range []time.Duration{1, 2, 4, 8, 16, 32, 60, 60} {
		due := m.now.Add(wait * time.Second)
		if !outcome.RetryAt.Equal(due) {
			t.Fatalf("retry at %v, want %v", outcome.RetryAt, due)
		}
		m.now = due.Add(-1)
		failed(t, m.run(p), prepareNotFound)
		m.saw()
		m.now = due
		outcome = m.run(p)
		m.saw("+a c", "look up c")
	}
	m.answer = nil
	m.now = m.now.Add(time.Hour)
	done(t, m.run(p))
	m.saw("+a c", "write")

	// After a success, the backoff restarts.
	m.state.Distrust(nodeplan.ClaimID{Namespace: namespace, Name: "c"})
	m.broken(nodeplan.Prepare, "a", notFound)
	if outcome := m.run(p); !outcome.RetryAt.Equal(m.now.Add(time.Second)) {
		t.Errorf("retry at %v, now is %v", outcome.RetryAt, m.now)
	}
}

// The node's clock is set back, or ahead: the wait must not become longer, nor end for good.
func TestClockJumps(t *testing.T) {
	m := unknownTo(t, nodeplan.Prepare)
	p := pod("p", "c")
	failed(t, m.run(p), prepareNotFound)
	m.now = m.now.Add(24 * time.Hour)
	outcome := m.run(p)
	failed(t, outcome, prepareNotFound)
	if wait := outcome.RetryAt.Sub(m.now); wait != 2*time.Second {
		t.Errorf("retry after %s", wait)
	}
	m.now = m.now.Add(-48 * time.Hour)
	m.answer = nil
	done(t, m.run(p))
}

func TestNotFoundAndDeleted(t *testing.T) {
	m := unknownTo(t, nodeplan.Prepare)
	pods := nodeplan.Desired{Run: []nodeplan.Pod{m.wants(pod("p", "c"))}}
	delete(m.api, "c")
	gone := prepareNotFound + "; the ResourceClaim was deleted"
	failed(t, m.ask("p", pods), gone)
	failed(t, m.ask("p", pods), gone)
	m.saw("write", "+a c", "look up c", "look up c")
	recreated := claim("c", "a")
	recreated.UID = "new"
	m.reserve(recreated)
	failed(t, m.ask("p", pods), gone)
	m.answer = nil
	done(t, m.stop(pod("p", "c")))
	m.nothingLeft()
}

func TestNotFoundWhileAPIServerIsAway(t *testing.T) {
	m := unknownTo(t, nodeplan.Prepare)
	pods := nodeplan.Desired{Run: []nodeplan.Pod{m.wants(pod("p", "c"))}}
	m.api["c"] = nil
	failed(t, m.ask("p", pods), prepareNotFound+"; fetch ResourceClaim c: API server is away")
	failed(t, m.ask("p", pods), prepareNotFound+"; fetch ResourceClaim c: API server is away")
	m.saw("write", "+a c", "look up c", "look up c")
}

func TestUnprepareNotFound(t *testing.T) {
	m := unknownTo(t, nodeplan.Unprepare)
	p := pod("p", "c")
	failed(t, m.stop(p), unprepareNotFound)
	m.saw("-a c", "look up c")
	failed(t, m.stop(p), unprepareNotFound)
	m.saw()
	m.now = m.now.Add(time.Second)
	m.answer = nil
	done(t, m.stop(p))
	m.saw("-a c", "write")
	m.nothingLeft()
}

// The API server needs fixing, not the driver.
func TestUnprepareNotFoundWhileAPIServerIsAway(t *testing.T) {
	m := unknownTo(t, nodeplan.Unprepare)
	m.api["c"] = nil
	outcome := m.stop(pod("p", "c"))
	failed(t, outcome, unprepareNotFound+"; fetch ResourceClaim c: API server is away")
	if len(outcome.Drivers) > 0 || strings.Contains(nodeplan.StuckMessage(outcome), "driver a") {
		t.Errorf("drivers %v are blamed: %s", outcome.Drivers, nodeplan.StuckMessage(outcome))
	}
}

// Neither driver nor API server know the claim: nothing to do.
func TestUnprepareNotFoundAndDeleted(t *testing.T) {
	m := unknownTo(t, nodeplan.Unprepare)
	delete(m.api, "c")
	done(t, m.stop(pod("p", "c")))
	m.saw("-a c", "look up c", "write")
	if m.saved() != "" {
		t.Errorf("left in the checkpoint: %s", m.saved())
	}
}

func TestBackoffCanBeSet(t *testing.T) {
	m := newMachine(t, "a")
	m.config.NotFound = nodeplan.Backoff{First: 10 * time.Second, Max: 5 * time.Second}
	m.restart()
	m.reserve(claim("c", "a"), pod("p", "c"))
	m.broken(nodeplan.Prepare, "a", notFound)
	if outcome := m.run(pod("p", "c")); !outcome.RetryAt.Equal(m.now.Add(5 * time.Second)) {
		t.Errorf("retry at %v, now is %v", outcome.RetryAt, m.now)
	}
}

// The driver has prepared the claim, did not find it in a second call, and the pod is deleted
// during the claim's lookup. The claim's deletion does not count as unprepared.
func TestNotFoundBeforeUnprepare(t *testing.T) {
	for name, late := range map[string]bool{"look-up to be done": false, "look-up on its way": true} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t, "a")
			p := pod("p", "c")
			m.reserve(claim("c", "a"), p)
			done(t, m.run(p))
			m.restart()
			m.broken(nodeplan.Prepare, "a", notFound)
			restore := nodeplan.Desired{Restore: []types.UID{"p"}}
			m.do(m.state.Next(restore, m.registered, m.now).Steps[0])
			delete(m.api, "c")
			if late {
				lookUp := m.state.Next(restore, m.registered, m.now).Steps[0]
				if plan := m.state.Next(nodeplan.Desired{Stop: []types.UID{"p"}}, m.registered, m.now); plan.Pods["p"].Phase != nodeplan.Busy {
					t.Fatalf("unexpected plan: %+v", plan)
				}
				m.do(lookUp)
			}
			m.log = nil
			done(t, m.stop(p))
			m.saw("-a c", "write")
			m.nothingLeft()
		})
	}
}

// Another driver's error fails the pod at once, without waiting for the NOT_FOUND backoff: the
// kubelet retries.
func TestNotFoundDoesNotHoldUpOtherErrors(t *testing.T) {
	m := newMachine(t, "a", "b")
	p := pod("p", "c")
	m.reserve(claim("c", "a", "b"), p)
	m.answer = func(call nodeplan.Call) *nodeplan.Answer {
		if call.Driver == "a" {
			return &notFound
		}
		return &nodeplan.Answer{Err: errors.New("broken")}
	}
	outcome := m.run(p)
	failed(t, outcome, "prepare dynamic resources: NodePrepareResources: broken")
	if !outcome.RetryAt.IsZero() {
		t.Errorf("retry at %v", outcome.RetryAt)
	}
}

// A driver answers NOT_FOUND because it does not know one of two claims. Their pod was
// force-deleted and both claims are deleted. The other claim is still prepared: if the answer
// counted for it as well, its device would be leaked.
func TestUnprepareNotFoundOfOneOfSeveral(t *testing.T) {
	m := newMachine(t, "a")
	p := pod("p", "c", "d")
	m.reserve(claim("c", "a"), p)
	m.reserve(claim("d", "a"), p)
	done(t, m.run(p))
	m.held["a"].Delete("d")
	m.api = nil
	m.log = nil
	m.answer = func(call nodeplan.Call) *nodeplan.Answer {
		for _, ref := range call.Claims {
			if !m.held["a"].Has(ref.UID) {
				return &notFound
			}
		}
		return nil
	}
	done(t, m.stop(p))
	m.saw("-a c d", "-a c", "-a d", "write", "look up d", "write")
	m.nothingLeft()
}

// One of two claims is deleted while the pod starts. The other one is prepared, the pod gets an
// error about the first.
func TestPrepareNotFoundOfOneOfSeveral(t *testing.T) {
	m := newMachine(t, "a")
	p := pod("p", "c", "d")
	m.reserve(claim("c", "a"), p)
	m.reserve(claim("d", "a"), p)
	desired := nodeplan.Desired{Run: []nodeplan.Pod{m.wants(p)}}
	delete(m.api, "d")
	m.answer = func(call nodeplan.Call) *nodeplan.Answer {
		if call.Claims[len(call.Claims)-1].Name == "d" {
			return &notFound
		}
		return nil
	}
	failed(t, m.ask("p", desired), prepareNotFound+"; the ResourceClaim was deleted")
	m.saw("write", "+a c d", "+a c", "+a d", "write", "look up d")
}
