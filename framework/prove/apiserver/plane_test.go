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

package apiserver

import (
	"context"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/spec"
)

// processes is a provider with a kubeconfig per process, in a directory.
type processes struct {
	dir       string
	all       []string
	restarted []string
}

func (p *processes) Processes(string) (map[string]clusters.Process, error) {
	found := map[string]clusters.Process{}
	for _, name := range p.all {
		found[name] = clusters.Process{}
	}
	return found, nil
}

func (p *processes) KubeconfigOf(_, program string) (string, error) {
	return filepath.Join(p.dir, program), nil
}

func (p *processes) Restart(_ context.Context, _ string, programs ...string) error {
	p.restarted = append(p.restarted, programs...)
	return nil
}

func TestComponentsSeeAMutantUntilTheyAreRestored(t *testing.T) {
	behind := httptest.NewServer(&server{})
	t.Cleanup(behind.Close)
	provider := &processes{dir: t.TempDir(), all: []string{"kube-apiserver", "kube-scheduler", "kube-controller-manager"}}
	plane := NewPlane(provider, "cluster", &rest.Config{Host: behind.URL}, t.TempDir())
	t.Cleanup(func() { _ = plane.Close() })
	all, err := parse([]byte(`[{id: api-x, what: It is broken., requires: [a/b], of: scheduler, path: claims, answers: 'if $event == "ADDED" then empty else . end'}]`))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := plane.Place(t.Context(), spec.Scheduler); err != nil {
			t.Fatal(err)
		}
	}
	plane.Turn(&all[0])
	if !slices.Equal(provider.restarted, []string{"kube-scheduler"}) {
		t.Errorf("started anew: %v", provider.restarted)
	}
	if _, err := os.Stat(filepath.Join(provider.dir, "kube-controller-manager")); err == nil {
		t.Error("the controllers are behind the proxy, too")
	}
	config, err := clientcmd.BuildConfigFromFlags("", filepath.Join(provider.dir, "kube-scheduler"))
	if err != nil {
		t.Fatal(err)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	reported := func() string {
		events, err := client.ResourceV1().ResourceClaims("default").Watch(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for e := range events.ResultChan() {
			all = append(all, string(e.Type))
		}
		return strings.Join(all, " ")
	}
	if got := reported(); got != "BOOKMARK" {
		t.Errorf("the scheduler is told %q", got)
	}
	if err := plane.Restore(t.Context(), &all[0]); err != nil {
		t.Fatal(err)
	}
	if got := reported(); got != "ADDED BOOKMARK" {
		t.Errorf("once healed, the scheduler is told %q", got)
	}
	if !slices.Equal(provider.restarted, []string{"kube-scheduler", "kube-scheduler"}) {
		t.Errorf("started anew: %v", provider.restarted)
	}
}

func TestPlaneWithoutTheComponent(t *testing.T) {
	plane := NewPlane(&processes{dir: t.TempDir(), all: []string{"kube-apiserver"}}, "cluster", &rest.Config{Host: "http://127.0.0.1:1"}, t.TempDir())
	if err := plane.Place(t.Context(), spec.Controllers); err == nil || !strings.Contains(err.Error(), "the control plane has no controllers") {
		t.Errorf("got %v", err)
	}
}

// A continuing watch would miss a mutant being turned on.
func TestWatchesEndWhenTheMutantChanges(t *testing.T) {
	s := &server{open: true}
	client, proxy := behindProxy(t, s, "", "")
	events, err := client.ResourceV1().ResourceClaims("default").Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if e := <-events.ResultChan(); e.Type != watch.Added {
		t.Fatalf("got %v", e)
	}
	<-events.ResultChan() // the bookmark
	proxy.Turn(nil)
	select {
	case _, more := <-events.ResultChan():
		if more {
			t.Error("the watch goes on")
		}
	case <-time.After(10 * time.Second):
		t.Error("the watch does not end")
	}
}
