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

package faults_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/dra-conformance/dratest/framework/soak"
	"github.com/dra-conformance/dratest/framework/soak/faults"
)

// servers are API servers restarted by their kubelets one second after a kill, and ready four seconds later.
type servers struct {
	mutex sync.Mutex
	nodes map[string]*server
	err   error
}

// server is frozen, or runs from a moment on. got are its signals with times.
type server struct {
	frozen bool
	runs   time.Time
	got    []string
}

func (s *servers) Run(_ context.Context, args ...string) (string, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	n, now := s.nodes[args[1]], time.Now()
	running := !now.Before(n.runs)
	signal := slices.Index([]string{"STOP", "KILL"}, args[max(0, len(args)-2)])
	switch {
	case s.err != nil || signal < 0 && (n.frozen || now.Before(n.runs.Add(4*time.Second))):
		return "", s.err
	case signal < 0:
		return "ok", nil
	case !running:
		return "", nil
	}
	n.got = append(n.got, args[len(args)-2]+" "+args[len(args)-1])
	n.frozen = signal == 0
	if !n.frozen {
		n.runs = now.Add(time.Second)
	}
	return "abc\n", nil
}

func apiServers(names ...string) (*servers, []runtime.Object) {
	s := &servers{nodes: map[string]*server{}}
	var pods []runtime.Object
	for _, name := range names {
		s.nodes[name] = &server{}
		pods = append(pods, &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "kube-apiserver-" + name, Labels: map[string]string{"component": "kube-apiserver"}},
			Spec:       corev1.PodSpec{NodeName: name},
		})
	}
	return s, pods
}

// An interrupted soak leaves no cluster without an API server either.
func TestAPIServersAreAwayForAMinute(t *testing.T) {
	for name, limit := range map[string]time.Duration{"to the end": time.Hour, "interrupted": 10 * time.Second} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, pods := apiServers("cp1", "cp2")
				ctx, cancel := context.WithTimeout(t.Context(), limit)
				defer cancel()
				began := time.Now()
				if err := faults.Killing("apiserver", s).Do(ctx, soak.Target{Client: cluster(pods...)}); err != nil {
					t.Error(err)
				}
				if took := time.Since(began); took < 64*time.Second || took > 66*time.Second {
					t.Errorf("back after %s", took)
				}
				for name, n := range s.nodes {
					if got := n.got; n.frozen || len(got) < 10 || got[0] != "STOP kube-apiserver-"+name || slices.ContainsFunc(got[1:], func(s string) bool { return s != "KILL kube-apiserver-"+name }) {
						t.Errorf("node %s got %q", name, got)
					}
				}
			})
		})
	}
}

func TestAPIServersThatCannotBeTakenAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, pods := apiServers("cp1")
		s.nodes["cp1"].runs = time.Now().Add(time.Hour)
		away := faults.Away{Engine: s}
		if err := away.Do(t.Context(), soak.Target{Client: cluster(pods...)}); err == nil || !strings.Contains(err.Error(), "does not run") {
			t.Errorf("got %v", err)
		}
		s.err = errors.New("no such container")
		if err := away.Do(t.Context(), soak.Target{Client: cluster(pods...)}); !errors.Is(err, s.err) {
			t.Errorf("got %v", err)
		}
		if err := away.Do(t.Context(), soak.Target{Client: cluster()}); err == nil || !strings.Contains(err.Error(), "shows none") {
			t.Errorf("got %v", err)
		}
	})
}
