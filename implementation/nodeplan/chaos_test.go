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
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/dra-conformance/dratest/implementation/nodeplan"
)

// phase is the kubelet's state of a pod.
type phase int

const (
	starting phase = iota
	running
	stopping
)

// actor is a pod slot.
type actor struct {
	*corev1.Pod
	phase phase
}

// chaos runs everything in random order, with concurrent calls.
type chaos struct {
	*machine
	*rand.Rand
	faults  bool
	pods    map[string]*actor
	pending []nodeplan.Step
	next    int
	// calls counts the calls for each claim and driver.
	calls map[string]int
	// crashes counts crashes, started the pods run so far.
	crashes, started int
}

func newChaos(t *testing.T, seed uint64, faults bool) *chaos {
	c := &chaos{machine: newMachine(t, "a", "b"), Rand: rand.New(rand.NewPCG(seed, 0)), faults: faults,
		pods: make(map[string]*actor), calls: make(map[string]int)}
	for i := range 4 {
		c.renew(fmt.Sprintf("c%d", i))
	}
	return c
}

// renew makes a claim with a new UID.
func (c *chaos) renew(name string) {
	c.next++
	drivers := [][]string{{"a"}, {"b"}, {"a", "b"}}[c.IntN(3)]
	fresh := claim(name, drivers...)
	fresh.UID = types.UID(fmt.Sprintf("%s-%d", name, c.next))
	c.api[name] = fresh
}

func (c *chaos) event() {
	slot := fmt.Sprintf("slot-%d", c.IntN(4))
	a := c.pods[slot]
	switch n := c.IntN(100); {
	case n < 40 && len(c.pending) > 0:
		c.answerOne()
	case n < 70:
		c.sync()
	case n < 78 && a == nil:
		c.create(slot)
	case n < 82 && a != nil:
		a.phase = stopping
	case n < 84 && a != nil && a.phase == running && c.faults:
		a.phase = starting // Its sandbox is recreated.
	case n < 88:
		c.now = c.now.Add(time.Duration(c.IntN(100)-10) * time.Second)
	case n < 90 && c.faults:
		c.registered = sets.New([][]string{{"a"}, {"b"}, {"a", "b"}}[c.IntN(3)]...)
	case n < 92 && c.faults:
		c.disk = []error{nil, nil, errors.New("full")}[c.IntN(3)]
	case n < 94 && c.faults:
		c.recreate(fmt.Sprintf("c%d", c.IntN(4)))
	case n < 96 && c.faults:
		c.kill()
	}
}

// create makes a pod with one or two claims, reserved for it.
func (c *chaos) create(slot string) {
	c.next++
	first := c.IntN(4)
	names := []string{fmt.Sprintf("c%d", first), fmt.Sprintf("c%d", (first+1)%4)}[:1+c.IntN(2)]
	p := pod(fmt.Sprintf("%s-%d", slot, c.next), names...)
	for _, name := range names {
		c.reserve(c.api[name], p)
	}
	c.pods[slot] = &actor{Pod: p}
}

// recreate replaces a claim whose pods are all terminating (force-deleted) or have not started:
// then its new version is reserved for them.
func (c *chaos) recreate(name string) {
	users := c.users(name)
	if slices.ContainsFunc(users, func(a *actor) bool { return a.phase == running }) {
		return
	}
	c.renew(name)
	for _, a := range users {
		if a.phase == starting {
			c.reserve(c.api[name], a.Pod)
		}
	}
}

func (c *chaos) users(name string) []*actor {
	var users []*actor
	for slot := range 4 {
		if a := c.pods[fmt.Sprintf("slot-%d", slot)]; a != nil {
			if names, _ := nodeplan.ClaimNames(a.Pod); slices.Contains(names, name) {
				users = append(users, a)
			}
		}
	}
	return users
}

// kill clears the memory. Steps in flight may or may not take effect.
func (c *chaos) kill() {
	c.crashes++
	for _, step := range c.pending {
		if c.IntN(2) == 0 {
			continue
		}
		switch step := step.(type) {
		case nodeplan.Call:
			c.effect(step)
		case nodeplan.WriteCheckpoint:
			_ = c.write(step)
		}
	}
	c.pending = nil
	c.restart()
}

// sync plans for some of the pods, like the kubelet. It has to wait for a checkpoint in progress.
func (c *chaos) sync() {
	if slices.ContainsFunc(c.pending, func(step nodeplan.Step) bool { _, ok := step.(nodeplan.WriteCheckpoint); return ok }) {
		return
	}
	var desired nodeplan.Desired
	asked := make(map[string]*actor)
	for i := range 4 {
		slot := fmt.Sprintf("slot-%d", i)
		a := c.pods[slot]
		if a == nil || c.IntN(3) == 0 {
			continue
		}
		asked[slot] = a
		switch a.phase {
		case starting:
			desired.Run = append(desired.Run, c.wants(a.Pod))
		case running:
			desired.Restore = append(desired.Restore, a.UID)
		case stopping:
			desired.Stop = append(desired.Stop, a.UID)
		}
		if c.IntN(3) == 0 {
			c.state.Retry(a.UID)
		}
	}
	plan := c.state.Next(desired, c.registered, c.now)
	c.pending = append(c.pending, plan.Steps...)
	for slot, a := range asked {
		c.settle(slot, a, plan.Pods[a.UID])
	}
}

// settle applies and checks an outcome.
func (c *chaos) settle(slot string, a *actor, outcome nodeplan.Outcome) {
	if outcome.Phase != nodeplan.Done {
		return
	}
	switch a.phase {
	case starting, running:
		names, _ := nodeplan.ClaimNames(a.Pod)
		for _, name := range names {
			for _, result := range c.api[name].Status.Allocation.Devices.Results {
				if !c.held[result.Driver].Has(c.api[name].UID) {
					c.t.Errorf("%s runs without %s of %s", a.Name, name, result.Driver)
				}
			}
		}
		if a.phase == starting {
			c.started++
			a.phase = running
		}
	case stopping:
		for _, info := range c.checkpoint() {
			if info.PodUIDs.Has(string(a.UID)) {
				c.t.Errorf("%s has stopped and is in the checkpoint for %s", a.Name, info.ClaimName)
			}
		}
		delete(c.pods, slot)
	}
}

func (c *chaos) checkpoint() []nodeplan.ClaimInfo {
	if c.file == nil {
		return nil
	}
	claims, err := nodeplan.Decode(c.file)
	if err != nil {
		c.t.Fatal(err)
	}
	return claims
}

// answerOne completes one of the steps with a random result.
func (c *chaos) answerOne() {
	i := c.IntN(len(c.pending))
	step := c.pending[i]
	c.pending = slices.Delete(c.pending, i, i+1)
	switch step := step.(type) {
	case nodeplan.WriteCheckpoint:
		c.do(step)
	case nodeplan.LookUp:
		found := c.find(step.Claim.Name)
		if c.IntN(4) == 0 {
			found = nodeplan.Found{Err: errors.New("API server is away")}
		}
		c.state.ApplyLookUp(step, found, c.now)
	case nodeplan.Call:
		c.justified(step)
		c.state.ApplyCall(step, c.fate(step))
	}
	c.tracked()
}

// fate is the random result of a call.
func (c *chaos) fate(call nodeplan.Call) nodeplan.Answer {
	outcome := c.IntN(12)
	switch {
	case !c.faults || outcome > 5:
		for _, ref := range call.Claims {
			c.calls[fmt.Sprintf("%s %s %s", call.Op, call.Driver, ref.UID)]++
		}
		return c.effect(call)
	case outcome == 0:
		return nodeplan.Answer{Err: errors.New("unreachable")}
	case outcome == 1:
		c.effect(call)
		return nodeplan.Answer{Err: errors.New("died after doing it")}
	case outcome == 2:
		// A driver holding all claims may fail to find them for preparing again, but not for
		// unpreparing.
		holds := !slices.ContainsFunc(call.Claims, func(ref nodeplan.ClaimRef) bool { return !c.held[call.Driver].Has(ref.UID) })
		return nodeplan.Answer{Err: errors.New("no such claim"), NotFound: call.Op == nodeplan.Prepare || !holds}
	case outcome == 3:
		c.effect(call)
		return nodeplan.Answer{Claims: map[types.UID]nodeplan.ClaimAnswer{"stranger": {}}}
	}
	answer := c.effect(call)
	if outcome == 4 {
		delete(answer.Claims, call.Claims[0].UID)
	} else {
		answer.Claims[call.Claims[0].UID] = nodeplan.ClaimAnswer{Error: "failed"}
	}
	return answer
}

// justified checks that a call makes sense: the checkpoint has the claim, and an unprepared claim
// has no running or starting user.
func (c *chaos) justified(call nodeplan.Call) {
	c.listed(call)
	if call.Op == nodeplan.Prepare {
		return
	}
	for _, ref := range call.Claims {
		for _, a := range c.users(ref.Name) {
			current := c.api[ref.Name].UID == ref.UID
			for _, info := range c.checkpoint() {
				if current && info.ClaimUID == ref.UID && info.PodUIDs.Has(string(a.UID)) && a.phase != stopping {
					c.t.Errorf("%s: %s uses it", describe(call), a.Name)
				}
			}
		}
	}
}

// tracked checks that the checkpoint has all claims held by drivers.
func (c *chaos) tracked() {
	known := sets.New[types.UID]()
	for _, info := range c.checkpoint() {
		known.Insert(info.ClaimUID)
	}
	for driver, claims := range c.held {
		if lost := claims.Difference(known); len(lost) > 0 {
			c.t.Errorf("%s holds %v, which the checkpoint does not have", driver, sets.List(lost))
		}
	}
}

// end removes all faults and all pods.
func (c *chaos) end() {
	c.faults, c.disk, c.registered = false, nil, sets.New("a", "b")
	for _, a := range c.pods {
		a.phase = stopping
	}
	for range 200 {
		for len(c.pending) > 0 {
			c.answerOne()
		}
		c.sync()
		c.now = c.now.Add(time.Minute)
	}
	if len(c.pods) > 0 {
		c.t.Errorf("pods do not end: %v", c.pods)
	}
	if c.file != nil {
		c.nothingLeft()
	}
}

func TestAnythingCanHappen(t *testing.T) {
	crashes, started := 0, 0
	for seed := range uint64(60) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			c := newChaos(t, seed, true)
			for range 800 {
				if c.event(); t.Failed() {
					return
				}
			}
			c.end()
			crashes, started = crashes+c.crashes, started+c.started
		})
	}
	if crashes < 200 || started < 200 {
		t.Errorf("too little has happened: %d kills, %d pods got to run", crashes, started)
	}
}

// Without faults, drivers are called exactly once for each claim and user.
func TestNothingIsDoneTwice(t *testing.T) {
	for seed := range uint64(30) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			c := newChaos(t, seed, false)
			for range 300 {
				c.event()
			}
			c.end()
			for key, n := range c.calls {
				var op, rest string
				if _, err := fmt.Sscanf(key, "%s %s", &op, &rest); err != nil {
					t.Fatal(err)
				}
				other := nodeplan.Unprepare.String() + key[len(op):]
				if op == nodeplan.Prepare.String() && n != c.calls[other] {
					t.Errorf("%s %d times, %s %d times", key, n, other, c.calls[other])
				}
			}
		})
	}
}
