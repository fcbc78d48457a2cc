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
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/implementation/nodeplan"
)

// broken sets a driver's answer to an operation.
func (m *machine) broken(op nodeplan.Op, driver string, answer nodeplan.Answer) {
	m.answer = func(call nodeplan.Call) *nodeplan.Answer {
		if call.Op != op || call.Driver != driver {
			return nil
		}
		return &answer
	}
}

func results(uid types.UID, answer nodeplan.ClaimAnswer) nodeplan.Answer {
	return nodeplan.Answer{Claims: map[types.UID]nodeplan.ClaimAnswer{uid: answer}}
}

func cdi(id string) nodeplan.ClaimAnswer {
	return nodeplan.ClaimAnswer{Devices: []nodeplan.Device{{CDIDeviceIDs: []string{id}}}}
}

// For any bad answer to a prepare call, the pod fails with a clear error, the next attempt calls
// the driver again, and stopping the pod unprepares the claim.
func TestBadAnswersToPrepare(t *testing.T) {
	for name, tc := range map[string]struct {
		answer nodeplan.Answer
		want   string
	}{
		"no result":           {nodeplan.Answer{}, "NodePrepareResources skipped 1 ResourceClaims"},
		"result for another":  {results("other", nodeplan.ClaimAnswer{}), "NodePrepareResources returned result for unknown claim UID other"},
		"error":               {results("c", nodeplan.ClaimAnswer{Error: "out of order"}), "NodePrepareResources failed for ResourceClaim c: out of order"},
		"died, unreachable":   {nodeplan.Answer{Err: errors.New("connection error")}, "NodePrepareResources: connection error"},
		"never":               {nodeplan.Answer{Err: errors.New("deadline exceeded")}, "NodePrepareResources: deadline exceeded"},
		"CDI without =":       {results("c", cdi("a.com/gpu")), `NodePrepareResources returned invalid CDI device ID "a.com/gpu" for ResourceClaim c: no device name after a =`},
		"CDI without class":   {results("c", cdi("gpu=0")), `NodePrepareResources returned invalid CDI device ID "gpu=0" for ResourceClaim c: no class after a /`},
		"CDI with bad vendor": {results("c", cdi("0.com/gpu=0")), `NodePrepareResources returned invalid CDI device ID "0.com/gpu=0" for ResourceClaim c: bad vendor`},
		"CDI with bad class":  {results("c", cdi("a.com/g u=0")), `NodePrepareResources returned invalid CDI device ID "a.com/g u=0" for ResourceClaim c: bad class`},
		"CDI with bad device": {results("c", cdi("a.com/gpu=0-")), `NodePrepareResources returned invalid CDI device ID "a.com/gpu=0-" for ResourceClaim c: bad device name`},
		"CDI without device":  {results("c", cdi("a.com/gpu=")), `NodePrepareResources returned invalid CDI device ID "a.com/gpu=" for ResourceClaim c: bad device name`},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t, "a")
			p := pod("p", "c")
			m.reserve(claim("c", "a"), p)
			m.broken(nodeplan.Prepare, "a", tc.answer)
			failed(t, m.run(p), "prepare dynamic resources: "+tc.want)
			failed(t, m.run(p), "prepare dynamic resources: "+tc.want)
			m.saw("write", "+a c", "+a c")
			if n := m.state.InUse()["a"]; n != 0 {
				t.Errorf("%d claims in use", n)
			}
			done(t, m.stop(p))
			m.saw("-a c", "write")
			m.nothingLeft()
		})
	}
}

func TestGoodCDINames(t *testing.T) {
	for _, id := range []string{"a/b=c", "Vendor.com/class-1_x.y=0", "v/c=dev:0.1_2-3"} {
		m := newMachine(t, "a")
		p := pod("p", "c")
		m.reserve(claim("c", "a"), p)
		m.broken(nodeplan.Prepare, "a", results("c", cdi(id)))
		done(t, m.run(p))
	}
}

// A bad answer to an unprepare call keeps the pod terminating and the claim in the checkpoint,
// until a good one comes.
func TestBadAnswersToUnprepare(t *testing.T) {
	for name, tc := range map[string]struct {
		answer nodeplan.Answer
		want   string
	}{
		"no result":          {nodeplan.Answer{}, "NodeUnprepareResources skipped 1 ResourceClaims"},
		"result for another": {results("other", nodeplan.ClaimAnswer{}), "NodeUnprepareResources returned result for unknown claim UID other"},
		"error":              {results("c", nodeplan.ClaimAnswer{Error: "busy"}), "NodeUnprepareResources failed for ResourceClaim c: busy"},
		"died":               {nodeplan.Answer{Err: errors.New("connection error")}, "NodeUnprepareResources: connection error"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t, "a")
			p, q := pod("p", "c"), pod("q", "c")
			m.reserve(claim("c", "a"), p, q)
			done(t, m.run(p))
			m.log = nil
			m.broken(nodeplan.Unprepare, "a", tc.answer)
			failed(t, m.stop(p), "unprepare dynamic resources: "+tc.want)
			failed(t, m.run(q), "prepare dynamic resources: ResourceClaim c is being unprepared")
			if m.saved() != "c=p" {
				t.Errorf("wrong checkpoint: %s", m.saved())
			}
			m.answer = nil
			done(t, m.stop(p))
			m.saw("-a c", "-a c", "write")
			m.nothingLeft()
			done(t, m.run(q))
		})
	}
}

// A driver that is done is not called again.
func TestOneOfTwoDriversFails(t *testing.T) {
	m := newMachine(t, "a", "b")
	p := pod("p", "c", "d")
	m.reserve(claim("c", "a", "b"), p)
	m.reserve(claim("d", "b"), p)
	m.answer = func(call nodeplan.Call) *nodeplan.Answer {
		if call.Driver == "a" {
			return nil
		}
		answer := m.effect(call)
		answer.Claims["c"] = nodeplan.ClaimAnswer{Error: "broken"}
		return &answer
	}
	failed(t, m.run(p), "prepare dynamic resources: NodePrepareResources failed for ResourceClaim c: broken")
	m.saw("write", "+a c", "+b c d", "write")
	failed(t, m.run(p), "prepare dynamic resources: NodePrepareResources failed for ResourceClaim c: broken")
	m.saw("+b c")
	m.answer = nil
	done(t, m.run(p))
	m.saw("+b c", "write")

	m.broken(nodeplan.Unprepare, "a", nodeplan.Answer{Err: errors.New("away")})
	failed(t, m.stop(p), "unprepare dynamic resources: NodeUnprepareResources: away")
	m.answer = nil
	done(t, m.stop(p))
	m.saw("-a c", "-b c d", "write", "-a c", "write")
	m.nothingLeft()
}

// Each pod has its own calls: a driver hanging for one does not block others.
func TestCallsAreNotSharedByPods(t *testing.T) {
	m := newMachine(t, "a")
	p, q := pod("p", "c"), pod("q", "d")
	m.reserve(claim("c", "a"), p)
	m.reserve(claim("d", "a"), q)
	done(t, m.ask("q", nodeplan.Desired{Run: []nodeplan.Pod{m.wants(p), m.wants(q)}}))
	m.saw("write", "+a c", "+a d", "write")
}

// kubernetes#129402: the driver was uninstalled while its pod ran.
func TestDriverIsGone(t *testing.T) {
	m := newMachine(t, "a", "b", "c")
	p := pod("p", "one", "two")
	m.reserve(claim("one", "a", "b", "c"), p)
	m.reserve(claim("two", "b"), p)
	done(t, m.run(p))
	m.log = nil
	m.registered.Delete("b", "c")
	failed(t, m.run(p), "prepare dynamic resources: DRA driver b is not registered")
	outcome := m.stop(p)
	failed(t, outcome, "unprepare dynamic resources: DRA driver b is not registered")
	m.saw("-a one")
	const want = "The pod cannot terminate before its ResourceClaims are unprepared: unprepare dynamic resources: DRA driver b is not registered." +
		" The kubelet tries again by itself. Install, restart or repair the kubelet plugin of DRA driver b, c on this node."
	if got := nodeplan.StuckMessage(outcome); got != want {
		t.Errorf("message is %q, want %q", got, want)
	}
	m.registered.Insert("b", "c")
	done(t, m.stop(p))
	m.saw("-b one two", "-c one", "write")
	m.nothingLeft()
}

// The driver disappears between checkpoint and call.
func TestDriverGoesAway(t *testing.T) {
	m := newMachine(t, "a")
	p := pod("p", "c")
	m.reserve(claim("c", "a"), p)
	desired := nodeplan.Desired{Run: []nodeplan.Pod{m.wants(p)}}
	m.do(m.state.Next(desired, m.registered, m.now).Steps[0])
	m.registered = nil
	failed(t, m.restore(p), "prepare dynamic resources: DRA driver a is not registered")
}

// After an upgrade, the new driver gets its claims unchanged.
func TestDriverIsUpgraded(t *testing.T) {
	m := newMachine(t, "a")
	p, q := pod("p", "c"), pod("q", "d")
	m.reserve(claim("c", "a"), p)
	m.reserve(claim("d", "a"), q)
	done(t, m.run(p))
	m.registered.Delete("a")
	failed(t, m.run(q), "prepare dynamic resources: DRA driver a is not registered")
	m.registered.Insert("a")
	done(t, m.run(q))
	done(t, m.stop(p))
	m.saw("write", "+a c", "write", "write", "+a d", "write", "-a c", "write")
}

// The disk is not writable: no driver is called for a new pod, and unstarted pods can go. Started
// ones wait for the disk.
func TestUnwritableDisk(t *testing.T) {
	m := newMachine(t, "a")
	p, q := pod("p", "c"), pod("q", "d")
	m.reserve(claim("c", "a"), p)
	m.reserve(claim("d", "a"), q)
	done(t, m.run(p))
	m.log = nil
	m.disk = errors.New("read-only file system")
	failed(t, m.run(q), "prepare dynamic resources: checkpoint ResourceClaim state: read-only file system")
	m.saw("write failed")
	done(t, m.stop(q))
	m.saw()
	failed(t, m.stop(p), "unprepare dynamic resources: checkpoint ResourceClaim state: read-only file system")
	failed(t, m.stop(p), "unprepare dynamic resources: checkpoint ResourceClaim state: read-only file system")
	m.saw("-a c", "write failed", "write failed")
	m.disk = nil
	done(t, m.stop(p))
	m.saw("write")
	m.nothingLeft()
}

// The disk fills up between the call and the second checkpoint.
func TestDevicesCannotBeSaved(t *testing.T) {
	m := newMachine(t, "a")
	p := pod("p", "c")
	m.reserve(claim("c", "a"), p)
	m.answer = func(nodeplan.Call) *nodeplan.Answer {
		m.disk = errors.New("no space left on device")
		return nil
	}
	failed(t, m.run(p), "prepare dynamic resources: checkpoint ResourceClaim state: no space left on device")
	m.disk = nil
	done(t, m.run(p))
	m.saw("write", "+a c", "write failed", "write")
}

// Errors of one pod do not count for the next: the driver is called again.
func TestNewUserOfFailedClaim(t *testing.T) {
	m := newMachine(t, "a")
	p, q := pod("p", "c"), pod("q", "c")
	m.reserve(claim("c", "a"), p, q)
	m.broken(nodeplan.Prepare, "a", nodeplan.Answer{Err: errors.New("away")})
	failed(t, m.run(p), "prepare dynamic resources: NodePrepareResources: away")
	m.answer = nil
	done(t, m.run(q))
	done(t, m.run(p))
	m.saw("write", "+a c", "write", "+a c", "write")
}

// Answers for removed claims change nothing.
func TestLateAnswers(t *testing.T) {
	m := newMachine(t, "a")
	late := nodeplan.ClaimRef{ClaimID: nodeplan.ClaimID{Namespace: namespace, Name: "c"}, UID: "before"}
	call := nodeplan.Call{Driver: "a", Claims: []nodeplan.ClaimRef{late}}
	m.state.ApplyCall(call, results("before", nodeplan.ClaimAnswer{}))
	p := pod("p", "c")
	m.reserve(claim("c", "a"), p)
	done(t, m.run(p))
	m.state.ApplyCall(call, results("before", cdi("a/b=c")))
	m.state.ApplyLookUp(nodeplan.LookUp{Claim: late, Driver: "a"}, nodeplan.Found{}, m.now)
	m.log = nil
	done(t, m.run(p))
	m.saw()
}

// Failure to prepare does not delay unpreparing.
func TestStopAfterFailedPrepare(t *testing.T) {
	m := newMachine(t, "a")
	p := pod("p", "c")
	m.reserve(claim("c", "a"), p)
	m.broken(nodeplan.Prepare, "a", nodeplan.Answer{Err: errors.New("away")})
	failed(t, m.run(p), "prepare dynamic resources: NodePrepareResources: away")
	plan := m.state.Next(nodeplan.Desired{Stop: []types.UID{"p"}}, m.registered, m.now)
	if len(plan.Steps) != 1 || plan.Pods["p"].Phase != nodeplan.Busy {
		t.Errorf("unexpected plan: %+v", plan)
	}
}
