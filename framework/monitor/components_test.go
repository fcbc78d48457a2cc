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

package monitor

import (
	"errors"
	"fmt"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

func scheduler(container string, last *corev1.ContainerStateTerminated) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "kube-scheduler-n", UID: "u"}}
	p.Status.ContainerStatuses = []corev1.ContainerStatus{{
		Name: "kube-scheduler", ContainerID: container, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}},
		LastTerminationState: corev1.ContainerState{Terminated: last},
	}}
	return p
}

func TestRestartsAndCrashes(t *testing.T) {
	waiting := scheduler("", nil)
	waiting.Status.ContainerStatuses[0].State = corev1.ContainerState{}
	for name, test := range map[string]struct {
		last *corev1.ContainerStateTerminated
		want string
	}{
		"panic":      {&corev1.ContainerStateTerminated{ExitCode: 2, Reason: "Error"}, "component-restarted false"},
		"memory":     {&corev1.ContainerStateTerminated{ExitCode: 137, Reason: "OOMKilled"}, "component-restarted false"},
		"lost lease": {&corev1.ContainerStateTerminated{ExitCode: 1, Reason: "Error"}, "component-restarted true"},
		"killed":     {&corev1.ContainerStateTerminated{ExitCode: 137, Reason: "Error"}, "component-restarted true"},
		"unknown":    {nil, "component-restarted true"},
	} {
		c, found := newComponents(), []observation{}
		for _, p := range []*corev1.Pod{scheduler("one", nil), scheduler("one", nil), waiting, scheduler("two", test.last), scheduler("two", test.last)} {
			found = append(found, c.seePods(stateOf(false, p))...)
		}
		if len(found) != 1 || fmt.Sprint(found[0].rule, " ", found[0].warning) != test.want {
			t.Errorf("%s: found %+v, want %s", name, found, test.want)
		}
	}
}

func leaseOf(holder string) *coordinationv1.Lease {
	return &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "kube-scheduler", UID: "l"}, Spec: coordinationv1.LeaseSpec{HolderIdentity: ptr.To(holder)},
	}
}

func TestLeases(t *testing.T) {
	for name, test := range map[string]struct {
		do   func(c *components) []observation
		want int
	}{
		"renewed": {func(c *components) []observation {
			return append(c.seeLease(stateOf(false, leaseOf("a")), after(30*time.Second)), c.silent(after(time.Minute))...)
		}, 0},
		"another holder": {func(c *components) []observation { return c.seeLease(stateOf(false, leaseOf("b")), t0) }, 1},
		"not renewed":    {func(c *components) []observation { return c.silent(after(time.Minute)) }, 1},
		"after a new list": {func(c *components) []observation {
			return append(c.seeLease(stateOf(true, leaseOf("a")), t0), c.silent(after(time.Minute))...)
		}, 0},
		"API server is away": {func(c *components) []observation {
			return append(c.probed(errors.New("refused"), t0), c.silent(after(time.Minute))...)
		}, 0},
	} {
		c := newComponents()
		c.seeLease(stateOf(false, leaseOf("a")), t0)
		if found := test.do(&c); len(found) != test.want {
			t.Errorf("%s: found %+v", name, found)
		}
	}
}

func TestOutagesOfTheAPIServer(t *testing.T) {
	away := errors.New("refused")
	for name, test := range map[string]struct {
		answers []error
		want    int
	}{
		"always there":     {[]error{nil, nil, nil}, 0},
		"one probe failed": {[]error{nil, away, nil}, 0},
		"away for longer":  {[]error{nil, away, away, nil, nil}, 1},
		"stays away":       {[]error{nil, away, away, away}, 0},
	} {
		c, found := newComponents(), 0
		for i, err := range test.answers {
			found += len(c.probed(err, after(time.Duration(i)*10*time.Second)))
		}
		if found != test.want {
			t.Errorf("%s: %d found", name, found)
		}
	}
}
