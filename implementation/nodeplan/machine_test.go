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
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/dra-conformance/dratest/implementation/nodeplan"
)

const namespace = "ns"

// machine is a node: the disk and the drivers survive, the kubelet's memory does not.
type machine struct {
	t          *testing.T
	api        map[string]*resourceapi.ResourceClaim
	file       []byte
	registered sets.Set[string]
	// held are the prepared claims by driver.
	held map[string]sets.Set[types.UID]
	// log has the calls and writes, in order.
	log []string
	// durable are the durability flags of writes.
	durable []bool
	state   *nodeplan.State
	now     time.Time
	// answer replaces a driver's answer; nil is the usual one.
	answer func(nodeplan.Call) *nodeplan.Answer
	// disk is the error of writes.
	disk   error
	config nodeplan.Config
}

func newMachine(t *testing.T, drivers ...string) *machine {
	m := &machine{t: t, api: make(map[string]*resourceapi.ResourceClaim), registered: sets.New(drivers...),
		held: make(map[string]sets.Set[types.UID]), now: time.Unix(1000, 0)}
	m.restart()
	return m
}

func (m *machine) restart() {
	m.t.Helper()
	var claims []nodeplan.ClaimInfo
	if m.file != nil {
		var err error
		if claims, err = nodeplan.Decode(m.file); err != nil {
			m.t.Fatal(err)
		}
	}
	m.state = nodeplan.New(m.config, claims)
}

// reserve adds a claim to the API, allocated from drivers and reserved for pods.
func (m *machine) reserve(c *resourceapi.ResourceClaim, pods ...*corev1.Pod) {
	for _, p := range pods {
		c.Status.ReservedFor = append(c.Status.ReservedFor, resourceapi.ResourceClaimConsumerReference{Resource: "pods", Name: p.Name, UID: p.UID})
	}
	m.api[c.Name] = c
}

// wants is a request to run a pod, with its current claims from the API.
func (m *machine) wants(p *corev1.Pod) nodeplan.Pod {
	pod := nodeplan.Pod{Pod: p, Claims: make(map[string]nodeplan.Found)}
	names, err := nodeplan.ClaimNames(p)
	if err != nil {
		return pod
	}
	for _, name := range names {
		pod.Claims[name] = nodeplan.Found{Claim: m.api[name]}
	}
	return pod
}

// run requests a pod start, once.
func (m *machine) run(p *corev1.Pod) nodeplan.Outcome {
	return m.ask(p.UID, nodeplan.Desired{Run: []nodeplan.Pod{m.wants(p)}})
}

func (m *machine) stop(p *corev1.Pod) nodeplan.Outcome {
	return m.ask(p.UID, nodeplan.Desired{Stop: []types.UID{p.UID}})
}

func (m *machine) restore(p *corev1.Pod) nodeplan.Outcome {
	return m.ask(p.UID, nodeplan.Desired{Restore: []types.UID{p.UID}})
}

func (m *machine) ask(uid types.UID, desired nodeplan.Desired) nodeplan.Outcome {
	m.t.Helper()
	m.state.Retry(uid)
	for range 20 {
		plan := m.state.Next(desired, m.registered, m.now)
		for _, step := range plan.Steps {
			m.do(step)
		}
		if outcome := plan.Pods[uid]; outcome.Phase != nodeplan.Busy {
			return outcome
		}
	}
	m.t.Fatal("no end")
	return nodeplan.Outcome{}
}

func (m *machine) do(step nodeplan.Step) {
	m.t.Helper()
	switch step := step.(type) {
	case nodeplan.WriteCheckpoint:
		m.state.ApplyWrite(step, m.write(step))
	case nodeplan.Call:
		m.log = append(m.log, describe(step))
		m.state.ApplyCall(step, m.call(step))
	case nodeplan.LookUp:
		m.log = append(m.log, "look up "+step.Claim.Name)
		m.state.ApplyLookUp(step, m.find(step.Claim.Name), m.now)
	}
}

func (m *machine) find(name string) nodeplan.Found {
	if c, ok := m.api[name]; ok && c == nil {
		return nodeplan.Found{Err: errors.New("API server is away")}
	}
	return nodeplan.Found{Claim: m.api[name]}
}

func (m *machine) write(step nodeplan.WriteCheckpoint) error {
	if m.disk != nil {
		m.log = append(m.log, "write failed")
		return m.disk
	}
	m.log = append(m.log, "write")
	m.durable = append(m.durable, step.Durable())
	file, err := nodeplan.Encode(step.Claims)
	if err != nil {
		m.t.Fatal(err)
	}
	m.file = file
	return nil
}

func (m *machine) call(call nodeplan.Call) nodeplan.Answer {
	if m.answer != nil {
		if answer := m.answer(call); answer != nil {
			return *answer
		}
	}
	return m.effect(call)
}

func (m *machine) effect(call nodeplan.Call) nodeplan.Answer {
	if m.held[call.Driver] == nil {
		m.held[call.Driver] = sets.New[types.UID]()
	}
	answer := nodeplan.Answer{Claims: make(map[types.UID]nodeplan.ClaimAnswer)}
	for _, ref := range call.Claims {
		if call.Op == nodeplan.Unprepare {
			m.held[call.Driver].Delete(ref.UID)
			answer.Claims[ref.UID] = nodeplan.ClaimAnswer{}
			continue
		}
		m.held[call.Driver].Insert(ref.UID)
		answer.Claims[ref.UID] = nodeplan.ClaimAnswer{Devices: []nodeplan.Device{{
			PoolName: "pool", DeviceName: "dev", RequestNames: []string{"req"}, CDIDeviceIDs: []string{call.Driver + "/class=" + ref.Name}}}}
	}
	return answer
}

// describe writes a call as "+driver claim claim" or "-driver claim".
func describe(call nodeplan.Call) string {
	text := "+" + call.Driver
	if call.Op == nodeplan.Unprepare {
		text = "-" + call.Driver
	}
	for _, ref := range call.Claims {
		text += " " + ref.Name
	}
	return text
}

// saw compares the log with the expected one and clears it.
func (m *machine) saw(want ...string) {
	m.t.Helper()
	if got := strings.Join(m.log, ", "); got != strings.Join(want, ", ") {
		m.t.Errorf("steps were %q, want %q", got, strings.Join(want, ", "))
	}
	m.log = nil
}

// saved are the claims of the checkpoint with their pods, sorted.
func (m *machine) saved() string {
	m.t.Helper()
	claims, err := nodeplan.Decode(m.file)
	if err != nil {
		m.t.Fatal(err)
	}
	var all []string
	for _, info := range claims {
		all = append(all, fmt.Sprintf("%s=%s", info.ClaimName, strings.Join(sets.List(info.PodUIDs), "+")))
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// nothingLeft checks that neither disk nor drivers have any claim.
func (m *machine) nothingLeft() {
	m.t.Helper()
	if saved := m.saved(); saved != "" {
		m.t.Errorf("left in the checkpoint: %s", saved)
	}
	for driver, claims := range m.held {
		if len(claims) > 0 {
			m.t.Errorf("left at %s: %v", driver, sets.List(claims))
		}
	}
}

// pod returns a pod whose UID is its name.
func pod(name string, claims ...string) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: types.UID(name)}}
	for _, claim := range claims {
		p.Spec.ResourceClaims = append(p.Spec.ResourceClaims, corev1.PodResourceClaim{Name: "entry-" + claim, ResourceClaimName: &claim})
	}
	return p
}

// claim returns an allocated claim whose UID is its name, with a device per driver.
func claim(name string, drivers ...string) *resourceapi.ResourceClaim {
	c := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: types.UID(name)}}
	c.Status.Allocation = &resourceapi.AllocationResult{}
	for _, driver := range drivers {
		c.Status.Allocation.Devices.Results = append(c.Status.Allocation.Devices.Results,
			resourceapi.DeviceRequestAllocationResult{Request: "req", Driver: driver, Pool: "pool", Device: "dev"})
	}
	return c
}

func done(t *testing.T, outcome nodeplan.Outcome) {
	t.Helper()
	if outcome.Phase != nodeplan.Done {
		t.Errorf("not done: %+v", outcome)
	}
}

func failed(t *testing.T, outcome nodeplan.Outcome, text string) {
	t.Helper()
	if outcome.Phase != nodeplan.Failed || outcome.Err.Error() != text {
		t.Errorf("outcome is %+v, want the error %q", outcome, text)
	}
}
