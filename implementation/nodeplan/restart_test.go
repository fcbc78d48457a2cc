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
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/implementation/nodeplan"
)

func TestRestartWithRunningPods(t *testing.T) {
	m := newMachine(t, "a", "b")
	p, q := pod("p", "c"), pod("q", "d")
	m.reserve(claim("c", "a", "b"), p)
	m.reserve(claim("d", "b"), q)
	done(t, m.run(p))
	done(t, m.run(q))
	m.log = nil
	m.restart()

	// The metric is correct at once: drivers a and b must not be removed.
	if use := m.state.InUse(); use["a"] != 1 || use["b"] != 2 || use[nodeplan.AnyDriver] != 2 {
		t.Errorf("wrong use: %v", use)
	}
	// Its devices are known: containers can restart without any call.
	claims, err := m.state.ContainerClaims(p, &corev1.Container{Resources: corev1.ResourceRequirements{Claims: []corev1.ResourceClaim{{Name: "entry-c"}}}})
	if ids := nodeplan.CDIDevices(claims); err != nil || len(ids) != 2 || ids[0] != "a/class=c" {
		t.Errorf("wrong devices: %v, %v", ids, err)
	}
	// After a new sandbox, drivers are called again. The checkpoint stays valid.
	done(t, m.run(p))
	m.saw("+a c", "+b c")
	done(t, m.stop(p))
	done(t, m.stop(q))
	m.saw("-a c", "-b c", "write", "-b d", "write")
	m.nothingLeft()
	if use := m.state.InUse(); len(use) != 1 || use[nodeplan.AnyDriver] != 0 {
		t.Errorf("wrong use: %v", use)
	}
}

// The pod was deleted while the kubelet was down. The driver may have prepared its claim, so it is
// called.
func TestPodGoneAfterRestart(t *testing.T) {
	m := newMachine(t, "a")
	p := pod("p", "c")
	m.reserve(claim("c", "a"), p)
	m.do(m.state.Next(nodeplan.Desired{Run: []nodeplan.Pod{m.wants(p)}}, m.registered, m.now).Steps[0])
	m.restart()
	m.log = nil
	gone := m.state.Gone(nil)
	if len(gone) != 1 {
		t.Fatalf("gone are %v", gone)
	}
	done(t, m.ask("p", nodeplan.Desired{Stop: gone}))
	m.saw("-a c", "write")
	m.nothingLeft()
}

// kubernetes#141433: CDI files of a prepared claim are lost in a reboot.
func TestLostCDIFilesAreMadeAgain(t *testing.T) {
	m := newMachine(t, "a", "b")
	p := pod("p", "c")
	m.reserve(claim("c", "a", "b"), p)
	done(t, m.run(p))
	m.log = nil
	delete(m.api, "c") // The API server is not needed.
	m.state.Distrust(nodeplan.ClaimID{Namespace: namespace, Name: "c"})
	m.state.Distrust(nodeplan.ClaimID{Namespace: namespace, Name: "unknown"})
	done(t, m.restore(p))
	m.saw("+a c", "+b c")
	m.restart()
	done(t, m.restore(p))
	m.saw("+a c", "+b c")
	done(t, m.restore(p))
	m.saw()
}

// A new claim has the same name while an earlier pod still uses the old claim.
func TestForceDeletedPod(t *testing.T) {
	for name, tc := range map[string]struct {
		uid  types.UID
		want string
	}{
		"claim with a new UID": {"new", "old ResourceClaim with same name c and different UID c still exists (previous pod force-deleted?!)"},
		"same claim, another allocation": {"c",
			"ResourceClaim c is still prepared with the devices of an earlier allocation (previous pod force-deleted?!)"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t, "a")
			p, q := pod("p", "c"), pod("q", "c")
			m.reserve(claim("c", "a"), p)
			done(t, m.run(p))
			next := claim("c", "a")
			next.UID = tc.uid
			next.Status.Allocation.Devices.Results[0].Device = "dev-2"
			m.reserve(next, q)
			failed(t, m.run(q), "prepare dynamic resources: "+tc.want)
			done(t, m.stop(p))
			done(t, m.run(q))
			m.saw("write", "+a c", "write", "-a c", "write", "write", "+a c", "write")
		})
	}
}

// After a restart, the next pod brings the devices missing in the checkpoint.
func TestOtherAllocationAfterRestart(t *testing.T) {
	m := newMachine(t, "a")
	p, q := pod("p", "c"), pod("q", "c")
	m.reserve(claim("c", "a"), p)
	done(t, m.run(p))
	m.restart()
	done(t, m.run(p))
	other := claim("c", "a")
	other.Status.Allocation.Devices.Results[0].ShareID = ptr.To(types.UID("share"))
	m.reserve(other, q)
	failed(t, m.run(q), "prepare dynamic resources: ResourceClaim c is still prepared with the devices of an earlier allocation (previous pod force-deleted?!)")
}

// A claim is replaced while its pod starts: the old one is removed first, automatically.
func TestClaimReplacedWhilePodStarts(t *testing.T) {
	for name, tc := range map[string]struct {
		uid    types.UID
		driver string
		want   []string
	}{
		"recreated":      {"new", "a", []string{"-a c", "write", "write", "+a c", "write"}},
		"another driver": {"c", "b", []string{"-a c", "write", "write", "+b c", "write"}},
	} {
		for _, restart := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				m := newMachine(t, "a", "b")
				p := pod("p", "c")
				m.reserve(claim("c", "a"), p)
				done(t, m.run(p))
				if restart {
					m.restart()
				}
				m.log = nil
				next := claim("c", tc.driver)
				next.UID = tc.uid
				m.reserve(next, p)
				done(t, m.run(p))
				m.saw(tc.want...)
				if len(m.held["a"].Delete("new")) != 0 {
					t.Errorf("left at the driver: %v", m.held["a"])
				}
			})
		}
	}
}

// The controller regenerated a claim, with another name.
func TestClaimGeneratedAgain(t *testing.T) {
	m := newMachine(t, "a")
	p := pod("p", "c")
	m.reserve(claim("c", "a"), p)
	done(t, m.run(p))
	m.log = nil
	p.Spec.ResourceClaims[0].ResourceClaimName = ptr.To("d")
	m.reserve(claim("d", "a"), p)
	done(t, m.run(p))
	m.saw("-a c", "write", "write", "+a d", "write")
	if m.saved() != "d=p" {
		t.Errorf("wrong checkpoint: %s", m.saved())
	}
}

// The pod was removed from reservedFor: it cannot start again, and its claims are unprepared with
// the pod.
func TestReservationTakenWhilePodStarts(t *testing.T) {
	m := newMachine(t, "a")
	p := pod("p", "c")
	m.reserve(claim("c", "a"), p)
	done(t, m.run(p))
	m.reserve(claim("c", "a"))
	failed(t, m.run(p), "prepare dynamic resources: pod p (p) is not allowed to use ResourceClaim c (c)")
	done(t, m.stop(p))
	m.nothingLeft()
}

// Without a checkpoint, the API server provides the possibly prepared claims.
func TestRebuild(t *testing.T) {
	m := newMachine(t, "a", "b")
	p, q, other := pod("p", "c", "shared", "missing"), pod("q", "shared", "pending"), pod("other", "shared")
	m.reserve(claim("c", "a", "b"), p)
	m.reserve(claim("shared", "a"), p, q)
	pending := claim("pending")
	pending.Status.Allocation = nil
	m.reserve(pending, q)
	fresh := pod("fresh")
	fresh.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "e", ResourceClaimTemplateName: ptr.To("tmpl")}}
	member := inGroup(pod("member", "group"), "g")
	m.reserve(reserveFor(claim("group", "b"), "g"))
	claims := nodeplan.Rebuild([]nodeplan.Pod{m.wants(p), m.wants(q), m.wants(other), m.wants(fresh), m.wants(member)})
	file, err := nodeplan.Encode(claims)
	if err != nil {
		t.Fatal(err)
	}
	m.file = file
	if m.saved() != "c=p group=member shared=p+q" {
		t.Errorf("wrong checkpoint: %s", m.saved())
	}
	m.restart()
	done(t, m.stop(p))
	done(t, m.stop(q))
	done(t, m.stop(member))
	m.saw("write", "-a c", "-b c", "write", "-a shared", "write", "-b group", "write")
}
