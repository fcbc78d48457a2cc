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
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/implementation/nodeplan"
)

func TestPodComesAndGoes(t *testing.T) {
	m := newMachine(t, "a", "b")
	p := pod("p", "c1", "c2")
	m.reserve(claim("c1", "a", "b"), p)
	m.reserve(claim("c2", "a"), p)

	done(t, m.run(p))
	m.saw("write", "+a c1 c2", "+b c1", "write")
	if m.saved() != "c1=p c2=p" || !m.state.MightNeedUnprepare("p") {
		t.Errorf("wrong checkpoint: %s", m.saved())
	}
	done(t, m.run(p))
	m.saw()
	done(t, m.stop(p))
	m.saw("-a c1 c2", "-b c1", "write")
	m.nothingLeft()
	if m.state.MightNeedUnprepare("p") {
		t.Error("pod still has claims")
	}
	done(t, m.stop(p))
	m.saw()
}

// Driver calls must be durable; all else can be recovered.
func TestNewClaimsMustSurviveAPowerFailure(t *testing.T) {
	m := newMachine(t, "a")
	p, q := pod("p", "c"), pod("q", "c")
	m.reserve(claim("c", "a"), p, q)
	done(t, m.run(p))
	done(t, m.run(q))
	done(t, m.stop(p))
	done(t, m.stop(q))
	m.saw("write", "+a c", "write", "write", "write", "-a c", "write")
	if want := []bool{true, false, true, true, false}; !slices.Equal(m.durable, want) {
		t.Errorf("writes are durable: %v, want %v", m.durable, want)
	}
}

func TestPodWithoutClaims(t *testing.T) {
	m := newMachine(t)
	done(t, m.run(pod("p")))
	done(t, m.stop(pod("p")))
	m.saw()
}

func TestClaimForExtendedResources(t *testing.T) {
	m := newMachine(t, "a")
	p := pod("p")
	p.Status.ExtendedResourceClaimStatus = &corev1.PodExtendedResourceClaimStatus{ResourceClaimName: "ext"}
	m.reserve(claim("ext", "a"), p)
	done(t, m.run(p))
	m.saw("write", "+a ext", "write")
}

// A claim with two entries in a pod is one claim for its driver. The kubelet sends it twice and
// then misses one of the results.
func TestClaimWithTwoEntries(t *testing.T) {
	m := newMachine(t, "a")
	p := pod("p", "c", "c")
	m.reserve(claim("c", "a"), p)
	done(t, m.run(p))
	m.saw("write", "+a c", "write")
}

func TestClaimsNotNeededAreNotPrepared(t *testing.T) {
	m := newMachine(t)
	p := pod("p")
	p.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "e", ResourceClaimTemplateName: ptr.To("tmpl")}}
	p.Status.ResourceClaimStatuses = []corev1.PodResourceClaimStatus{{Name: "e"}}
	done(t, m.run(p))
	m.saw()
}

func TestSharedClaim(t *testing.T) {
	m := newMachine(t, "a")
	p, q := pod("p", "c"), pod("q", "c")
	m.reserve(claim("c", "a"), p, q)
	done(t, m.run(p))
	m.log = nil
	done(t, m.run(q))
	m.saw("write")
	if m.saved() != "c=p+q" {
		t.Errorf("wrong checkpoint: %s", m.saved())
	}
	done(t, m.stop(p))
	m.saw("write")
	done(t, m.stop(q))
	m.saw("-a c", "write")
	m.nothingLeft()
}

// Several pods at once: each claim is prepared and unprepared once.
func TestSharedClaimAllAtOnce(t *testing.T) {
	m := newMachine(t, "a")
	p, q := pod("p", "c"), pod("q", "c")
	m.reserve(claim("c", "a"), p, q)
	done(t, m.ask("q", nodeplan.Desired{Run: []nodeplan.Pod{m.wants(p), m.wants(q)}}))
	m.saw("write", "+a c", "write")
	done(t, m.ask("q", nodeplan.Desired{Stop: []types.UID{"p", "q"}}))
	m.saw("write", "-a c", "write")
	m.nothingLeft()
}

// A new user comes as the last one leaves: the claim stays prepared.
func TestClaimPassesToTheNextPod(t *testing.T) {
	m := newMachine(t, "a")
	p, q := pod("p", "c"), pod("q", "c")
	m.reserve(claim("c", "a"), p, q)
	done(t, m.run(p))
	m.log = nil
	done(t, m.ask("p", nodeplan.Desired{Run: []nodeplan.Pod{m.wants(q)}, Stop: []types.UID{"p"}}))
	m.saw("write")
	if m.saved() != "c=q" {
		t.Errorf("wrong checkpoint: %s", m.saved())
	}
}

// A call in flight is not repeated for another pod.
func TestSecondPodWaitsForTheCall(t *testing.T) {
	m := newMachine(t, "a")
	p, q := pod("p", "c"), pod("q", "c")
	m.reserve(claim("c", "a"), p, q)
	both := nodeplan.Desired{Run: []nodeplan.Pod{m.wants(p), m.wants(q)}}
	m.do(m.state.Next(both, m.registered, m.now).Steps[0])
	plan := m.state.Next(nodeplan.Desired{Run: both.Run[:1]}, m.registered, m.now)
	again := m.state.Next(both, m.registered, m.now)
	if len(plan.Steps) != 1 || len(again.Steps) != 0 || again.Pods["q"].Phase != nodeplan.Busy {
		t.Fatalf("unexpected plans: %+v, %+v", plan, again)
	}
	m.do(plan.Steps[0])
	done(t, m.run(q))
}

// stopDuringPrepare stops a pod while a driver prepares its claim, and returns the call. The pod
// has to wait for it.
func (m *machine) stopDuringPrepare(p *corev1.Pod) (prepare nodeplan.Step) {
	m.t.Helper()
	desired := nodeplan.Desired{Run: []nodeplan.Pod{m.wants(p)}}
	m.do(m.state.Next(desired, m.registered, m.now).Steps[0])
	prepare = m.state.Next(desired, m.registered, m.now).Steps[0]

	stop := nodeplan.Desired{Stop: []types.UID{p.UID}}
	if plan := m.state.Next(stop, m.registered, m.now); len(plan.Steps) != 0 || plan.Pods[p.UID].Phase != nodeplan.Busy {
		m.t.Fatalf("unexpected plan: %+v", plan)
	}
	return prepare
}

// The pod is stopped while a driver prepares its claim: preparing ends first.
func TestStopWaitsForPrepare(t *testing.T) {
	m := newMachine(t, "a")
	p := pod("p", "c")
	m.reserve(claim("c", "a"), p)
	prepare := m.stopDuringPrepare(p)
	failed(t, m.state.Next(nodeplan.Desired{Restore: []types.UID{"p"}}, m.registered, m.now).Pods["p"],
		"prepare dynamic resources: ResourceClaim c is being unprepared")
	m.do(prepare)
	m.log = nil
	done(t, m.stop(p))
	m.saw("write", "-a c", "write")
	m.nothingLeft()
}

// The claim was never sent to the driver: it can be removed without the driver.
func TestStopBeforeAnyCall(t *testing.T) {
	m := newMachine(t, "a")
	p := pod("p", "c")
	m.reserve(claim("c", "a"), p)
	m.do(m.state.Next(nodeplan.Desired{Run: []nodeplan.Pod{m.wants(p)}}, m.registered, m.now).Steps[0])
	m.registered = nil
	done(t, m.stop(p))
	m.saw("write", "write")
	m.nothingLeft()
}

// Rejections use the kubelet's wording and leave nothing behind.
func TestRefusedPods(t *testing.T) {
	p := pod("p", "c")
	generated := pod("p")
	generated.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "e", ResourceClaimTemplateName: ptr.To("tmpl")}}
	foreign := generated.DeepCopy()
	foreign.Status.ResourceClaimStatuses = []corev1.PodResourceClaimStatus{{Name: "e", ResourceClaimName: ptr.To("c")}}
	unallocated := claim("c")
	unallocated.Status.Allocation = nil
	optional := claim("c", "a")
	optional.Status.Allocation.Devices.Results[0].SkipNodeOperations = []resourceapi.SkipNodeOperation{"*"}
	for name, tc := range map[string]struct {
		pod      *corev1.Pod
		claim    *resourceapi.ResourceClaim
		reserved bool
		want     string
	}{
		"not created":            {pod: generated, want: `pod "ns/p": ResourceClaim not created yet`},
		"deleted":                {pod: p, want: `fetch ResourceClaim c: resourceclaims.resource.k8s.io "c" not found`},
		"not reserved":           {p, claim("c", "a"), false, "pod p (p) is not allowed to use ResourceClaim c (c)"},
		"of another pod":         {foreign, claim("c", "a"), true, "ResourceClaim ns/c was not created for Pod ns/p (Pod is not owner)"},
		"not allocated":          {p, unallocated, true, "ResourceClaim c: not allocated"},
		"no driver":              {p, claim("c", "a", "gone"), true, "DRA driver gone is not registered"},
		"no driver name":         {p, claim("c", ""), true, "DRA driver name is empty"},
		"operations are skipped": {p, optional, true, "ResourceClaim c: DRAOptionalNodeOperations feature gate is disabled on kubelet"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t, "a")
			if tc.claim != nil {
				m.reserve(tc.claim)
				if tc.reserved {
					m.reserve(tc.claim, tc.pod)
				}
			}
			failed(t, m.run(tc.pod), "prepare dynamic resources: "+tc.want)
			m.registered = nil
			done(t, m.stop(tc.pod))
			m.saw()
		})
	}
}

func TestAPIServerAway(t *testing.T) {
	m := newMachine(t, "a")
	p := pod("p", "c")
	away := nodeplan.Pod{Pod: p, Claims: map[string]nodeplan.Found{"c": {Err: errors.New("connection refused")}}}
	failed(t, m.ask("p", nodeplan.Desired{Run: []nodeplan.Pod{away}}), "prepare dynamic resources: fetch ResourceClaim c: connection refused")
	m.reserve(claim("c", "a"), p)
	done(t, m.run(p))
}

func TestSkippedOperations(t *testing.T) {
	all := []resourceapi.SkipNodeOperation{resourceapi.SkipNodeOperationAll}
	noPrepare := []resourceapi.SkipNodeOperation{resourceapi.SkipNodeOperationNodePrepareResources}
	noUnprepare := []resourceapi.SkipNodeOperation{resourceapi.SkipNodeOperationNodeUnprepareResources}
	for name, tc := range map[string]struct {
		devices [2][]resourceapi.SkipNodeOperation
		want    []string
	}{
		"all":           {[2][]resourceapi.SkipNodeOperation{all, all}, []string{"write", "write"}},
		"some devices":  {[2][]resourceapi.SkipNodeOperation{all, nil}, []string{"write", "+a c", "write", "-a c", "write"}},
		"prepare":       {[2][]resourceapi.SkipNodeOperation{noPrepare, all}, []string{"write", "-a c", "write"}},
		"unprepare":     {[2][]resourceapi.SkipNodeOperation{noUnprepare, noUnprepare}, []string{"write", "+a c", "write", "write"}},
		"none together": {[2][]resourceapi.SkipNodeOperation{noPrepare, noUnprepare}, []string{"write", "+a c", "write", "-a c", "write"}},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t, "a")
			m.config.OptionalNodeOperations = true
			m.restart()
			p, c := pod("p", "c"), claim("c", "a", "a")
			for i := range tc.devices {
				c.Status.Allocation.Devices.Results[i].SkipNodeOperations = tc.devices[i]
			}
			m.reserve(c, p)
			done(t, m.run(p))
			if n := m.state.InUse()["a"]; n != 1 {
				t.Errorf("%d claims in use", n)
			}
			done(t, m.stop(p))
			m.saw(tc.want...)
		})
	}
}

func TestClaimNames(t *testing.T) {
	p := pod("p", "b", "a", "b")
	p.Status.ExtendedResourceClaimStatus = &corev1.PodExtendedResourceClaimStatus{ResourceClaimName: "ext"}
	if names, err := nodeplan.ClaimNames(p); err != nil || len(names) != 3 || names[0] != "b" || names[2] != "ext" {
		t.Errorf("unexpected answer: %v, %v", names, err)
	}
}

func TestGonePods(t *testing.T) {
	m := newMachine(t, "a")
	for _, name := range []string{"z", "p", "q"} {
		p := pod(name, "c-"+name, "shared")
		m.reserve(claim("c-"+name, "a"), p)
		m.reserve(claim("shared", "a"), pod("z"), pod("p"), pod("q"))
		done(t, m.run(p))
	}
	if gone := m.state.Gone(sets.New[types.UID]("p", "other")); len(gone) != 2 || gone[0] != "q" || gone[1] != "z" {
		t.Errorf("wrong pods: %v", gone)
	}
}

// Namespaces distinguish claims.
func TestNamespaces(t *testing.T) {
	m := newMachine(t, "a")
	p, q := pod("p", "c"), pod("q", "c")
	q.Namespace = "other"
	m.reserve(claim("c", "a"), p)
	done(t, m.run(p))
	second := claim("c", "a")
	second.ObjectMeta = metav1.ObjectMeta{Namespace: "other", Name: "c", UID: "second"}
	m.reserve(second, q)
	m.log = nil
	done(t, m.run(q))
	m.saw("write", "+a c", "write")
	if (nodeplan.ClaimID{Namespace: "ns", Name: "c"}).String() != "ns/c" {
		t.Error("unusual notation")
	}
}

// A driver answers while the checkpoint with another driver's devices is written: its devices need
// their own checkpoint.
func TestAnswerDuringAWrite(t *testing.T) {
	m := newMachine(t, "a", "b")
	p := pod("p", "c")
	m.reserve(claim("c", "a", "b"), p)
	desired := nodeplan.Desired{Run: []nodeplan.Pod{m.wants(p)}}
	m.do(m.state.Next(desired, m.registered, m.now).Steps[0])
	calls := m.state.Next(desired, m.registered, m.now).Steps
	if len(calls) != 2 {
		t.Fatalf("unexpected steps %+v", calls)
	}
	m.do(calls[0])
	write := m.state.Next(desired, m.registered, m.now).Steps[0]
	m.do(calls[1])
	m.do(write)
	m.log = nil
	done(t, m.run(p))
	m.saw("write")
}

// While a checkpoint is written, drivers are called and other pods start. Otherwise pods arriving
// one after the other would all wait for the last one.
func TestOthersDoNotWaitForACheckpoint(t *testing.T) {
	m := newMachine(t, "a")
	p, q, r := pod("p", "c1"), pod("q", "c2"), pod("r", "c3")
	m.reserve(claim("c1", "a"), p)
	m.reserve(claim("c2", "a"), q)
	m.reserve(claim("c3", "a"), r)
	done(t, m.run(p))
	desired := nodeplan.Desired{Run: []nodeplan.Pod{m.wants(p), m.wants(q)}}
	m.do(m.state.Next(desired, m.registered, m.now).Steps[0])
	m.log = nil

	desired.Run = append(desired.Run, m.wants(r))
	plan := m.state.Next(desired, m.registered, m.now)
	for _, step := range plan.Steps {
		m.do(step)
	}
	m.saw("+a c2", "write")
	done(t, plan.Pods["p"])
	if plan.Pods["q"].Phase != nodeplan.Busy || plan.Pods["r"].Phase != nodeplan.Busy {
		t.Errorf("unexpected outcomes %+v", plan.Pods)
	}
}

// A pod removes a replaced claim while another one with a stale view wants to use it: the claim
// must not be unprepared while in use.
func TestReplacedClaimIsNotUnpreparedForANewUser(t *testing.T) {
	m := newMachine(t, "a")
	p, q := pod("p", "c"), pod("q", "c")
	m.reserve(claim("c", "a"), p, q)
	done(t, m.run(p))
	old := m.wants(q)
	replaced := claim("c", "a")
	replaced.UID = "another"
	m.reserve(replaced, p, q)
	m.log = nil
	for _, step := range m.state.Next(nodeplan.Desired{Run: []nodeplan.Pod{m.wants(p), old}}, m.registered, m.now).Steps {
		m.do(step)
	}
	m.saw("write")
}

// A pod with all its claims prepared starts, however many others join.
func TestPodDoesNotWaitForThoseWhoJoin(t *testing.T) {
	m := newMachine(t, "a")
	p, q := pod("p", "c"), pod("q", "c")
	m.reserve(claim("c", "a"), p, q)
	done(t, m.run(p))
	plan := m.state.Next(nodeplan.Desired{Run: []nodeplan.Pod{m.wants(p), m.wants(q)}}, m.registered, m.now)
	done(t, plan.Pods["p"])
	if plan.Pods["q"].Phase != nodeplan.Busy || len(plan.Steps) != 1 {
		t.Errorf("unexpected plan %+v", plan)
	}
}

// A claim skipping unprepare is not removed before the driver has prepared it.
func TestClaimStaysUntilTheDriverHasAnswered(t *testing.T) {
	m := newMachine(t, "a")
	m.config.OptionalNodeOperations = true
	m.restart()
	p, c := pod("p", "c"), claim("c", "a")
	c.Status.Allocation.Devices.Results[0].SkipNodeOperations = []resourceapi.SkipNodeOperation{resourceapi.SkipNodeOperationNodeUnprepareResources}
	m.reserve(c, p)
	prepare := m.stopDuringPrepare(p)
	m.do(prepare)
	done(t, m.stop(p))
	if m.saved() != "" {
		t.Errorf("wrong checkpoint: %s", m.saved())
	}
}
