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
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/dra-conformance/dratest/implementation/nodeplan"
)

type killed struct{}

// killer crashes the kubelet at one of the points it passes.
type killer struct {
	*machine
	left int
}

func (k *killer) point() {
	k.left--
	if k.left == 0 {
		panic(killed{})
	}
}

// do is machine.do with points before and after the effect of a step and after the answer.
func (k *killer) do(step nodeplan.Step) {
	k.point()
	switch step := step.(type) {
	case nodeplan.WriteCheckpoint:
		err := k.write(step)
		k.point()
		k.state.ApplyWrite(step, err)
	case nodeplan.Call:
		k.listed(step)
		answer := k.effect(step)
		k.log = append(k.log, describe(step))
		k.point()
		k.state.ApplyCall(step, answer)
	}
	k.point()
}

// listed checks that the checkpoint has the claims and pods of a call.
func (m *machine) listed(call nodeplan.Call) {
	m.t.Helper()
	claims, err := nodeplan.Decode(m.file)
	if err != nil {
		m.t.Fatal(err)
	}
	known := sets.New[types.UID]()
	for _, info := range claims {
		if _, ok := info.DriverState[call.Driver]; ok {
			known.Insert(info.ClaimUID)
		}
	}
	for _, ref := range call.Claims {
		if !known.Has(ref.UID) {
			m.t.Errorf("%s: %s is not in the checkpoint", describe(call), ref.UID)
		}
	}
}

// attempt retries until done. It returns false if the kubelet crashed before.
func (k *killer) attempt(uid types.UID, desired nodeplan.Desired) (ok bool) {
	defer func() {
		if v := recover(); v != nil {
			if _, is := v.(killed); !is {
				panic(v)
			}
			ok = false
		}
	}()
	for {
		plan := k.state.Next(desired, k.registered, k.now)
		for _, step := range plan.Steps {
			k.do(step)
		}
		if plan.Pods[uid].Phase == nodeplan.Done {
			return true
		}
	}
}

// TestKilledAtEachPoint starts and stops pods and crashes the kubelet once, at each point in turn.
// Afterwards the kubelet starts the desired pods again and finds deleted pods in the checkpoint.
func TestKilledAtEachPoint(t *testing.T) {
	for point := 1; ; point++ {
		reached := true
		t.Run(fmt.Sprint(point), func(t *testing.T) { reached = story(t, point) })
		if !reached {
			if point < 50 {
				t.Errorf("only %d points", point)
			}
			return
		}
	}
}

// story reports whether the point was reached.
func story(t *testing.T, point int) bool {
	k := &killer{machine: newMachine(t, "a", "b"), left: point}
	p, q, r := pod("p", "c"), pod("q", "c", "d"), pod("r", "d")
	k.reserve(claim("c", "a", "b"), p, q)
	k.reserve(claim("d", "a"), q, r)

	active := sets.New[types.UID]()
	run := func(p *corev1.Pod) func() nodeplan.Desired {
		return func() nodeplan.Desired {
			active.Insert(p.UID)
			return nodeplan.Desired{Run: []nodeplan.Pod{k.wants(p)}}
		}
	}
	stop := func(p *corev1.Pod) func() nodeplan.Desired {
		return func() nodeplan.Desired {
			active.Delete(p.UID)
			return nodeplan.Desired{Stop: append(k.state.Gone(active), p.UID)}
		}
	}
	for _, act := range []struct {
		uid types.UID
		do  func() nodeplan.Desired
	}{{"p", run(p)}, {"q", run(q)}, {"p", stop(p)}, {"r", run(r)}, {"q", stop(q)}, {"q", run(q)}, {"r", stop(r)}, {"q", stop(q)}} {
		for !k.attempt(act.uid, act.do()) {
			k.restart()
		}
		k.check(active, p, q, r)
	}
	k.nothingLeft()
	if k.left > 0 {
		k.once()
	}
	return k.left <= 0
}

// check checks that drivers hold the claims of active pods and nothing else.
func (m *machine) check(active sets.Set[types.UID], pods ...*corev1.Pod) {
	m.t.Helper()
	want := sets.New[types.UID]()
	for _, p := range pods {
		if names, err := nodeplan.ClaimNames(p); err == nil && active.Has(p.UID) {
			for _, name := range names {
				want.Insert(types.UID(name))
			}
		}
	}
	if !m.held["a"].Equal(want) || !m.held["b"].Equal(want.Intersection(sets.New[types.UID]("c"))) {
		m.t.Errorf("pods %v: drivers hold %v", sets.List(active), m.held)
	}
}

// once checks that without a crash, nothing is done twice.
func (m *machine) once() {
	m.t.Helper()
	m.saw("write", "+a c", "+b c", "write", // p
		"write", "+a d", "write", // q
		"write",                          // p stops
		"write",                          // r
		"write", "-a c", "-b c", "write", // q stops
		"write", "+a c", "+b c", "write", // q
		"write",                   // r stops
		"-a c d", "-b c", "write") // q stops
}
