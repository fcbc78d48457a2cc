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
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/clusters"
)

func TestCreateListLogsAndDelete(t *testing.T) {
	p, h, client := setup(t)
	made, err := p.Create(t.Context(), clusters.Config{Name: "x", Nodes: 3})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{etcd, apiserver, controllerManager, scheduler, kwok}; !slices.Equal(h.started, want) {
		t.Errorf("started %v, want %v", h.started, want)
	}
	nodes, err := client.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	if err != nil || len(nodes.Items) != 3 || clusters.NotReady(&nodes.Items[0]) != "" || len(nodes.Items[0].Spec.Taints) > 0 {
		t.Errorf("nodes: %v, %v", nodes.Items, err)
	}
	found, err := p.List(t.Context())
	if err != nil || len(found) != 1 || found[0].Status != clusters.Running || found[0].Nodes != 3 || found[0].Stack.String() != "stock" {
		t.Errorf("list: %+v, %v", found, err)
	}
	if _, err := os.Stat(made.Kubeconfig); err != nil {
		t.Error(err)
	}
	logs := t.TempDir()
	if err := p.Logs(t.Context(), "x", logs); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"etcd.log", "kwok.log", "versions.json"} {
		if _, err := os.Stat(filepath.Join(logs, name)); err != nil {
			t.Error(err)
		}
	}
	if _, err := p.Create(t.Context(), clusters.Config{Name: "x"}); !errors.Is(err, clusters.ErrExists) {
		t.Errorf("a second one of the name: %v", err)
	}
	if err := p.Delete(t.Context(), "x"); err != nil {
		t.Error(err)
	}
	nothingLeft(t, p, h)
	if err := p.Delete(t.Context(), "x"); err != nil {
		t.Errorf("delete what is not there: %v", err)
	}
}

func nothingLeft(t *testing.T, p *Provider, h *fakeHost) {
	t.Helper()
	if len(h.alive) > 0 {
		t.Errorf("processes are left: %v", h.alive)
	}
	if _, err := os.Stat(p.State); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("directory is left: %v", err)
	}
}

func TestRestart(t *testing.T) {
	p, h, _ := setup(t)
	if _, err := p.Create(t.Context(), clusters.Config{Name: "x", Nodes: 1}); err != nil {
		t.Fatal(err)
	}
	before, err := p.Processes("x")
	if err != nil {
		t.Fatal(err)
	}
	h.started = nil
	if err := p.Restart(t.Context(), "x", scheduler); err != nil || !slices.Equal(h.started, []string{scheduler}) {
		t.Errorf("started %v, %v", h.started, err)
	}
	after, err := p.Processes("x")
	if err != nil || len(after) != len(before) || after[scheduler].ID == before[scheduler].ID || after[apiserver] != before[apiserver] || after[scheduler].URL != before[scheduler].URL {
		t.Errorf("from %v to %v, %v", before, after, err)
	}
	if found, err := p.List(t.Context()); err != nil || found[0].Status != clusters.Running {
		t.Errorf("list: %+v, %v", found, err)
	}
	if err := p.Restart(t.Context(), "x", ownControllers); err == nil || !strings.Contains(err.Error(), "it has none") {
		t.Errorf("restart what is not there: %v", err)
	}
	if err := p.Delete(t.Context(), "x"); err != nil {
		t.Error(err)
	}
	nothingLeft(t, p, h)
}

// A soak lost its scheduler for good: the last threads of the killed scheduler still held the port.
func TestRestartWaitsForThePort(t *testing.T) {
	p, h, _ := setup(t)
	if _, err := p.Create(t.Context(), clusters.Config{Name: "x"}); err != nil {
		t.Fatal(err)
	}
	h.taken = 3
	if err := p.Restart(t.Context(), "x", scheduler); err != nil || h.taken != -1 {
		t.Errorf("the port was asked for until %d were left, %v", h.taken, err)
	}
}

func TestRestartOfWhatHasEnded(t *testing.T) {
	p, h, _ := setup(t)
	if _, err := p.Create(t.Context(), clusters.Config{Name: "x"}); err != nil {
		t.Fatal(err)
	}
	h.logs[scheduler] = "no such flag"
	if err := p.Restart(t.Context(), "x", scheduler); err == nil || !strings.Contains(err.Error(), "ends as soon as it is started") {
		t.Errorf("got %v", err)
	}
	if err := p.Restart(t.Context(), "x", scheduler); err == nil || !strings.Contains(err.Error(), "it does not run") {
		t.Errorf("kill what does not run: %v", err)
	}
}

func TestStoppedAndBrokenClusters(t *testing.T) {
	p, h, _ := setup(t)
	if _, err := p.Create(t.Context(), clusters.Config{Name: "x"}); err != nil {
		t.Fatal(err)
	}
	status := func() clusters.Status {
		found, err := p.List(t.Context())
		if err != nil || len(found) != 1 {
			t.Fatalf("list: %v, %v", found, err)
		}
		return found[0].Status
	}
	delete(h.alive, 2)
	if got := status(); got != clusters.Broken {
		t.Errorf("without its API server it is %s", got)
	}
	clear(h.alive)
	if got := status(); got != clusters.Stopped {
		t.Errorf("without any process it is %s", got)
	}
	if _, err := p.Create(t.Context(), clusters.Config{Name: "x"}); err != nil {
		t.Errorf("a stopped one is not replaced: %v", err)
	}
}

// A killed run leaves its cluster behind; the next one replaces it.
func TestTemporaryClusterBelongsToItsMaker(t *testing.T) {
	p, h, _ := setup(t)
	if _, err := p.Create(t.Context(), clusters.Config{Name: "x", Temporary: true}); err != nil {
		t.Fatal(err)
	}
	other := &Provider{State: p.State, Programs: p.Programs, host: h, connect: p.connect}
	if err := other.Delete(t.Context(), "x"); !errors.Is(err, clusters.ErrEnvironment) {
		t.Errorf("another process deletes it: %v", err)
	}
	if release, ok := p.locks.Take("x"); ok { // as the end of the process does
		release()
	}
	found, err := other.List(t.Context())
	if err != nil || len(found) != 1 || found[0].Status != clusters.Abandoned {
		t.Errorf("list: %+v, %v", found, err)
	}
	if _, err := other.Create(t.Context(), clusters.Config{Name: "x"}); err != nil || len(h.alive) != 4 {
		t.Errorf("it is not replaced: %v, alive %v", err, h.alive)
	}
}

func TestCreateThatFailsLeavesNothingAndSaysWhy(t *testing.T) {
	p, h, _ := setup(t)
	h.logs[scheduler] = "I1 starting\nE1 run.go:72] \"command failed\" err=\"unrecognized feature gate: Nope\"\n"
	_, err := p.Create(t.Context(), clusters.Config{Name: "x", FeatureGates: map[string]bool{"Nope": true}})
	if err == nil || !strings.Contains(err.Error(), "kube-scheduler ended") || !strings.Contains(err.Error(), "unrecognized feature gate: Nope") {
		t.Errorf("got error %v", err)
	}
	nothingLeft(t, p, h)
}

// In 7 of 73 killed creations, the newest process was not recorded: "cluster delete" reported success, but etcd or
// kube-apiserver kept running.
func TestDeleteEndsUnrecordedProcesses(t *testing.T) {
	for _, program := range []string{etcd, apiserver, kwok} {
		p, h, _ := setup(t)
		h.kill = program
		func() {
			defer func() {
				if killed := recover(); killed != any(errKilled) {
					t.Fatalf("%s: got %v", program, killed)
				}
			}()
			_, _ = p.Create(t.Context(), clusters.Config{Name: "x", Nodes: 1})
		}()
		if len(h.alive) == 0 {
			t.Fatalf("%s does not run", program)
		}
		parts, err := p.parts()
		if err != nil {
			t.Fatal(err)
		}
		recorded, err := parts.store.MustLoad("x")
		if err != nil || len(recorded.Processes) != len(h.alive)-1 {
			t.Fatalf("%d of %d processes are recorded, %v", len(recorded.Processes), len(h.alive), err)
		}
		if err := parts.remove(t.Context(), recorded); err != nil {
			t.Fatal(err)
		}
		if len(h.alive) > 0 {
			t.Errorf("%s: processes are left: %v", program, h.alive)
		}
	}
}

func TestCreateThatFailsIsKeptIfAsked(t *testing.T) {
	p, h, _ := setup(t)
	h.logs[scheduler] = "E1 no\n"
	if _, err := p.Create(t.Context(), clusters.Config{Name: "x", Keep: true}); err == nil || !strings.Contains(err.Error(), "cluster delete x") {
		t.Errorf("got error %v", err)
	}
	found, err := p.List(t.Context())
	if err != nil || len(found) != 1 || found[0].Status != clusters.Broken {
		t.Errorf("list: %+v, %v", found, err)
	}
	if err := p.Delete(t.Context(), "x"); err != nil {
		t.Error(err)
	}
	nothingLeft(t, p, h)
}

func TestCancelledCreateLeavesNothing(t *testing.T) {
	p, h, _ := setup(t)
	ctx, cancel := context.WithCancel(t.Context())
	working := p.connect
	p.connect = func(kubeconfig string) (api, error) {
		a, err := working(kubeconfig)
		a.healthy = func(context.Context, string) error { cancel(); return errors.New("not yet") }
		return a, err
	}
	if _, err := p.Create(ctx, clusters.Config{Name: "x"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v", err)
	}
	nothingLeft(t, p, h)
}

func TestTakenPortIsGivenUpForAnother(t *testing.T) {
	p, h, _ := setup(t)
	h.logs[apiserver] = "Error: listen tcp 127.0.0.1:1: bind: address already in use\n"
	if _, err := p.Create(t.Context(), clusters.Config{Name: "x"}); err != nil {
		t.Fatal(err)
	}
	if want := []string{etcd, apiserver, etcd, apiserver, controllerManager, scheduler}; !slices.Equal(h.started, want) || len(h.alive) != 4 {
		t.Errorf("started %v, want %v; alive %v", h.started, want, h.alive)
	}
}

func TestCreateRefusesWhatItCannotMake(t *testing.T) {
	p, h, _ := setup(t)
	for name, tc := range map[string]struct {
		config clusters.Config
		want   string
	}{
		"workers": {clusters.Config{Workers: new(1)}, "has no real nodes"},
		"version": {clusters.Config{Version: "v9.9.9"}, "unknown Kubernetes version"},
	} {
		if _, err := p.Create(t.Context(), tc.config); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got error %v", name, err)
		}
	}
	nothingLeft(t, p, h)
}
