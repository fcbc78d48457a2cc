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

package kind

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/clusters"
	engineclient "github.com/dra-conformance/dratest/clusters/engine"
)

func created() time.Time { return time.Date(2026, 11, 21, 5, 0, 0, 500, time.UTC) }

func TestCreateOverWhatIsThere(t *testing.T) {
	complete := record{Name: "x", Created: created(), Containers: []string{"a", "b"}}
	temporary := complete
	temporary.Temporary = true
	for _, tc := range []struct {
		name    string
		record  *record
		running bool
		there   []string
		exists  bool // ErrExists, nothing removed
		message string
	}{
		{"running", &complete, true, []string{"a", "b"}, true, `remove it with "dratest cluster delete x"`},
		{"made for a process that was killed", &temporary, true, []string{"a", "b"}, false, "the process that it was made for is gone"},
		{"somebody's in place of a temporary one", &temporary, true, []string{"z"}, true, "not dratest's"},
		{"engine was killed", &complete, false, []string{"a", "b"}, false, "none of its nodes runs"},
		{"engine was reset", &complete, false, nil, false, "none of its nodes runs"},
		{"creation was killed", &record{Name: "x", Created: created()}, true, []string{"a"}, false, "interrupted creation"},
		{"kept", &record{Name: "x", Created: created(), Kept: "kubeadm failed"}, true, []string{"a"}, true, "kubeadm failed"},
		{"somebody's", nil, true, []string{"z"}, true, `kind delete cluster --name x`},
		{"somebody's in place of ours", &complete, true, []string{"z"}, true, "not dratest's"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, e, m, said := setup(t)
			e.add("x", tc.running, created(), tc.there...)
			if tc.record != nil {
				remember(t, p, *tc.record)
			}
			broken := errors.New("that is far enough")
			m.create = func(string) error { return broken }
			_, err := p.Create(t.Context(), clusters.Config{Name: "x"})
			if errors.Is(err, clusters.ErrExists) != tc.exists || errors.Is(err, broken) == tc.exists {
				t.Fatalf("got error %v", err)
			}
			if all := err.Error() + said.String(); !strings.Contains(all, tc.message) {
				t.Errorf("does not say %q: %s", tc.message, all)
			}
			want := tc.there
			if !tc.exists {
				want = nil
			}
			if diff := cmp.Diff(want, e.names()); diff != "" {
				t.Errorf("containers: %s", diff)
			}
		})
	}
}

func TestCreateThatFailsLeavesNothing(t *testing.T) {
	p, e, m, _ := setup(t)
	m.create = func(name string) error {
		e.network = true
		e.add(name, true, time.Now(), "a", "b")
		return errors.New("kubeadm failed")
	}
	_, err := p.Create(t.Context(), clusters.Config{Name: "x"})
	if err == nil || !strings.Contains(err.Error(), "kubeadm failed") {
		t.Errorf("got error %v", err)
	}
	if len(e.names()) > 0 || e.network {
		t.Errorf("left: containers %v, network %t", e.names(), e.network)
	}
	if _, err := os.Stat(p.State); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("directory is left: %v", err)
	}
}

func TestCreateThatFailsKeepsItsNodesIfAsked(t *testing.T) {
	p, e, m, _ := setup(t)
	m.create = func(name string) error {
		e.add(name, true, time.Now(), "a")
		return errors.New("kubeadm failed\nwith many lines")
	}
	_, err := p.Create(t.Context(), clusters.Config{Name: "x", Keep: true})
	if err == nil || !strings.Contains(err.Error(), "cluster delete x") {
		t.Errorf("got error %v", err)
	}
	found, err := p.List(t.Context())
	if err != nil || len(found) != 1 || found[0].Status != clusters.Broken || found[0].Nodes != 1 {
		t.Errorf("list: %+v, %v", found, err)
	}
	if err := p.Delete(t.Context(), "x"); err != nil || len(e.names()) > 0 {
		t.Errorf("delete: %v, left %v", err, e.names())
	}
}

// Kind takes no context and may create containers after the cancellation.
func TestCancelledCreateLeavesNothing(t *testing.T) {
	p, e, m, _ := setup(t)
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		m.create = func(name string) error {
			e.network = true
			e.add(name, true, time.Now(), "early")
			time.Sleep(time.Second)
			cancel()
			time.Sleep(5 * time.Second)
			e.add(name, true, time.Now(), "late")
			return errors.New("no such container")
		}
		_, err := p.Create(ctx, clusters.Config{Name: "x"})
		if !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "no such container") {
			t.Errorf("got error %v", err)
		}
	})
	if len(e.names()) > 0 || e.network {
		t.Errorf("left: containers %v, network %t", e.names(), e.network)
	}
	if _, err := os.Stat(p.State); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("directory is left: %v", err)
	}
}

func TestCreateThatCannotCleanUpSaysSo(t *testing.T) {
	p, e, m, _ := setup(t)
	m.create = func(name string) error {
		e.stuck = true
		e.add(name, true, time.Now(), "a")
		return errors.New("kubeadm failed")
	}
	synctest.Test(t, func(t *testing.T) {
		_, err := p.Create(t.Context(), clusters.Config{Name: "x"})
		if err == nil || !strings.Contains(err.Error(), "busy") || !strings.Contains(err.Error(), "cluster delete x") {
			t.Errorf("got error %v", err)
		}
	})
	e.stuck = false
	if err := p.Delete(t.Context(), "x"); err != nil || len(e.names()) > 0 {
		t.Errorf("delete: %v, left %v", err, e.names())
	}
}

// A user removed the containers during the cleanup of a creation.
func TestDeleteCopesWithContainersThatAreBeingRemoved(t *testing.T) {
	p, e, _, _ := setup(t)
	e.add("x", true, created(), "a")
	e.stuck = true
	remember(t, p, record{Name: "x", Created: created(), Containers: []string{"a"}})
	synctest.Test(t, func(t *testing.T) {
		time.AfterFunc(3*time.Second, func() {
			e.mutex.Lock()
			defer e.mutex.Unlock()
			e.containers = nil
		})
		if err := p.Delete(t.Context(), "x"); err != nil {
			t.Error(err)
		}
	})
}

// A complete proof failed in the end: "docker ps" was killed on a busy machine, because one timeout covered all calls
// together.
func TestDeleteWaitsForASlowEngine(t *testing.T) {
	p, e, _, _ := setup(t)
	e.add("x", true, created(), "a")
	remember(t, p, record{Name: "x", Created: created(), Containers: []string{"a"}})
	synctest.Test(t, func(t *testing.T) {
		e.slow = removeTimeout + time.Second
		if err := p.Delete(t.Context(), "x"); err != nil || len(e.names()) > 0 {
			t.Errorf("%v, left %v", err, e.names())
		}
	})
}

func TestEngineThatDoesNotAnswer(t *testing.T) {
	program := filepath.Join(t.TempDir(), "docker")
	if err := os.WriteFile(program, []byte("#!/bin/sh\nexec sleep 600\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := docker{client: engineclient.Engine{Program: program, Patience: time.Millisecond}}.Nodes(t.Context(), "x")
	if !errors.Is(err, clusters.ErrEnvironment) || !strings.Contains(err.Error(), "has not answered within 1ms") {
		t.Errorf("got %v", err)
	}
}

// A killed runc left a frozen process: the engine could not remove its node, and exec into it hung.
func TestRemoveThaws(t *testing.T) {
	dir := t.TempDir()
	program, frozen, other := filepath.Join(dir, "docker"), filepath.Join(dir, "docker-a", "freezer.state"), filepath.Join(dir, "docker-b", "freezer.state")
	for path, content := range map[string]string{
		program: "#!/bin/sh\ngrep THAWED " + frozen, frozen: "FROZEN\n", other: "FROZEN\n",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	d := docker{client: engineclient.Engine{Program: program}, cgroups: dir}
	if err := d.Remove(t.Context(), []string{"docker-a"}); err != nil {
		t.Fatal(err)
	}
	if state, err := os.ReadFile(other); err != nil || string(state) != "FROZEN\n" {
		t.Errorf("somebody else's container is %s, %v", state, err)
	}
}

func TestDelete(t *testing.T) {
	for _, tc := range []struct {
		name    string
		record  *record
		there   []string
		left    []string
		message string // in the error
	}{
		{"nothing there", nil, nil, nil, ""},
		{"ours", &record{Name: "x", Created: created(), Containers: []string{"a", "b"}}, []string{"a", "b"}, nil, ""},
		{"engine was reset", &record{Name: "x", Created: created(), Containers: []string{"a"}}, nil, nil, ""},
		{"killed while it was made", &record{Name: "x", Created: created()}, []string{"a"}, nil, ""},
		{"made before us", &record{Name: "x", Created: created().Add(time.Minute)}, []string{"z"}, []string{"z"}, ""},
		{"somebody's in place of ours", &record{Name: "x", Created: created(), Containers: []string{"a"}}, []string{"z"}, []string{"z"}, ""},
		{"somebody's", nil, []string{"z"}, []string{"z"}, "not dratest's"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, e, _, _ := setup(t)
			e.add("x", true, created(), tc.there...)
			e.add("other", true, created(), "other")
			if tc.record != nil {
				remember(t, p, *tc.record)
			}
			for range 2 { // idempotent
				err := p.Delete(t.Context(), "x")
				if (err == nil) != (tc.message == "") || err != nil && !strings.Contains(err.Error(), tc.message) {
					t.Errorf("got error %v", err)
				}
				if tc.record != nil && len(tc.left) > 0 {
					tc.message = "not dratest's" // it is forgotten now
				}
			}
			if diff := cmp.Diff(append(tc.left, "other"), e.names()); diff != "" {
				t.Errorf("containers: %s", diff)
			}
			if _, err := os.Stat(p.State); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("directory is left: %v", err)
			}
		})
	}
}

func TestDeleteRefusesPaths(t *testing.T) {
	p, _, _, _ := setup(t)
	for _, name := range []string{"", ".", "..", "../x", "/etc", ".network"} {
		if err := p.Delete(t.Context(), name); err == nil {
			t.Errorf("%q is taken for a name", name)
		}
	}
}

func TestDeleteTakesExportsBack(t *testing.T) {
	p, e, m, _ := setup(t)
	e.add("x", true, created(), "a")
	remember(t, p, record{Name: "x", Created: created(), Containers: []string{"a"}})
	if err := p.Export("x", "/home/me/.kube/config"); err != nil {
		t.Fatal(err)
	}
	if err := p.Delete(t.Context(), "x"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"x from /home/me/.kube/config"}, m.deleted); diff != "" {
		t.Error(diff)
	}
}

func TestNetworkGoesWithTheLastClusterIfItCameWithOurs(t *testing.T) {
	for _, tc := range []struct {
		name       string
		there      bool // before our first cluster
		foreign    bool // another user's cluster is left
		wantGone   bool
		wantMarker bool
	}{
		{"ours", false, false, true, false},
		{"somebody's network", true, false, false, false},
		{"somebody's cluster uses it", false, true, false, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, e, _, _ := setup(t)
			e.network = tc.there
			s, err := p.parts()
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"one", "two"} {
				unlock, err := s.useNetwork(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				e.network = true
				unlock()
				e.add(name, true, created(), name)
				remember(t, p, record{Name: name, Created: created(), Containers: []string{name}})
			}
			if tc.foreign {
				e.add("foreign", false, created(), "z")
			}
			for _, name := range []string{"one", "two"} {
				if !e.network {
					t.Errorf("network is gone before cluster %s", name)
				}
				if err := p.Delete(t.Context(), name); err != nil {
					t.Fatal(err)
				}
			}
			if e.network == tc.wantGone {
				t.Errorf("network there: %t", e.network)
			}
			_, err = os.Stat(filepath.Join(p.State, ".network"))
			if (err == nil) != tc.wantMarker {
				t.Errorf("the network's file: %v", err)
			}
		})
	}
}

func TestList(t *testing.T) {
	p, e, _, _ := setup(t)
	e.add("running", true, created(), "a", "b")
	e.add("abandoned", true, created(), "e")
	e.add("in use", true, created(), "f")
	e.add("stopped", false, created(), "c")
	e.add("half", true, created(), "d")
	e.add("foreign", true, created(), "z")
	remember(t, p, record{Name: "running", Version: "v1.37.1", Created: created(), Containers: []string{"a", "b"}})
	remember(t, p, record{Name: "abandoned", Created: created(), Containers: []string{"e"}, Temporary: true})
	remember(t, p, record{Name: "in use", Created: created(), Containers: []string{"f"}, Temporary: true})
	remember(t, p, record{Name: "stopped", Created: created(), Containers: []string{"c"}})
	remember(t, p, record{Name: "half", Created: created(), Containers: []string{"d", "gone"}})
	remember(t, p, record{Name: "reset", Created: created(), Containers: []string{"gone"}})
	remember(t, p, record{Name: "killed", Created: created()})
	remember(t, p, record{Name: "making", Created: created()})
	for _, name := range []string{"making", "in use"} {
		release, err := p.Lock(name)
		if err != nil {
			t.Fatal(err)
		}
		defer release()
	}
	found, err := p.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]clusters.Status{}
	for _, c := range found {
		got[c.Name] = c.Status
	}
	want := map[string]clusters.Status{
		"running": clusters.Running, "stopped": clusters.Stopped, "half": clusters.Broken,
		"reset": clusters.Stopped, "killed": clusters.Broken, "making": clusters.Creating,
		"abandoned": clusters.Abandoned, "in use": clusters.Running,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if c := found[len(found)-2]; c.Name != "running" || c.Nodes != 2 || c.Kubeconfig != filepath.Join(p.State, "running", "kubeconfig") {
		t.Errorf("got %+v", c)
	}
}

func TestNothingIsDoneWithoutTheEngine(t *testing.T) {
	p, e, _, _ := setup(t)
	e.add("x", true, created(), "a")
	remember(t, p, record{Name: "x", Created: created(), Containers: []string{"a"}})
	e.down = clusters.ErrEnvironment
	if _, err := p.List(t.Context()); !errors.Is(err, clusters.ErrEnvironment) {
		t.Errorf("list: %v", err)
	}
	if err := p.Delete(t.Context(), "x"); !errors.Is(err, clusters.ErrEnvironment) {
		t.Errorf("delete: %v", err)
	}
	if _, err := p.Create(t.Context(), clusters.Config{Name: "x"}); !errors.Is(err, clusters.ErrEnvironment) {
		t.Errorf("create: %v", err)
	}
	e.down = nil
	if found, err := p.List(t.Context()); err != nil || len(found) != 1 {
		t.Errorf("the cluster is forgotten: %v, %v", found, err)
	}
}
