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

package controlplane

import (
	"context"
	"errors"
	"os"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
)

// fakeHost runs nothing; started processes stay alive until killed.
type fakeHost struct {
	mutex sync.Mutex
	next  int
	alive map[int]string
	// kill is the program after whose start dratest is killed.
	kill    string
	started []string
	// logs makes a program write this log and exit at its next start.
	logs map[string]string
	// taken is how often ports are still taken.
	taken int
}

func (h *fakeHost) Start(c command, _, log string) (process, <-chan struct{}, error) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.next++
	h.started = append(h.started, c.name)
	exited := make(chan struct{})
	if said, ok := h.logs[c.name]; ok {
		delete(h.logs, c.name)
		close(exited)
		if err := os.WriteFile(log, []byte(said), 0o600); err != nil {
			return process{}, nil, err
		}
	} else {
		h.alive[h.next] = c.name
		if err := os.WriteFile(log, []byte("fine\n"), 0o600); err != nil {
			return process{}, nil, err
		}
	}
	if h.kill == c.name {
		panic(errKilled)
	}
	return process{Name: c.name, PID: h.next}, exited, nil
}

// errKilled stands for kill -9 of dratest.
var errKilled = errors.New("killed")

func (h *fakeHost) In(string) (all []process, err error) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	for pid, name := range h.alive {
		all = append(all, process{Name: name, PID: pid})
	}
	return all, nil
}

func (h *fakeHost) Alive(p process) bool {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return h.alive[p.PID] == p.Name
}

func (h *fakeHost) Free(context.Context, int) bool {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.taken--
	return h.taken < 0
}

func (h *fakeHost) Command(p process) (command, error) {
	if !h.Alive(p) {
		return command{}, errors.New("it does not run")
	}
	return command{name: p.Name, path: "/bin/" + p.Name}, nil
}

func (h *fakeHost) Kill(p process) error {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	delete(h.alive, p.PID)
	return nil
}

// fakePrograms has all programs.
type fakePrograms struct{}

func (fakePrograms) Program(_ context.Context, _, program string) (string, error) {
	return "/bin/" + program, nil
}

func (fakePrograms) SchedulerProgram(_ context.Context, _, kubeconfig string) (string, []byte, error) {
	return "/bin/dra-scheduler", []byte("clientConnection: {kubeconfig: " + kubeconfig + "}\n"), nil
}

func (fakePrograms) ControllersProgram(context.Context, string) (string, []byte, error) {
	return "/bin/dra-controller-manager", []byte("kind: Deployment\n"), nil
}

// setup returns a provider with fake processes and a fake API.
func setup(t *testing.T) (*Provider, *fakeHost, *fake.Clientset) {
	t.Helper()
	h := &fakeHost{alive: map[int]string{}, logs: map[string]string{}}
	client := fake.NewClientset(&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "default"}})
	p := &Provider{
		State:    t.TempDir() + "/state",
		Programs: fakePrograms{},
		host:     h,
		connect: func(string) (api, error) {
			return api{
				client:  client,
				healthy: func(ctx context.Context, _ string) error { return ctx.Err() },
				apply:   func(context.Context, []byte) error { return nil },
			}, nil
		},
	}
	return p, h, client
}
