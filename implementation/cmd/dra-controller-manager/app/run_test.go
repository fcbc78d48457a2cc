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

package app

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/component-base/metrics/legacyregistry"

	"github.com/dra-conformance/dratest/implementation/controllers/resourceclaim"
	"github.com/dra-conformance/dratest/implementation/controllers/tainteviction"
)

// fakeController fills its caches and ends its work on command.
type fakeController struct {
	synced bool
	ends   func(context.Context)
}

func (f *fakeController) Run(ctx context.Context, _ int) { f.ends(ctx) }
func (f *fakeController) HasSynced() bool                { return f.synced }

func newManager(f *fakeController, err error) *manager {
	workers := 1
	return &manager{
		config: &config{shutdownTimeout: 10 * time.Second, workers: map[string]*int{"fake": &workers}},
		client: fake.NewClientset(),
		descriptors: []Descriptor{{Name: "fake", New: func(_ context.Context, _ kubernetes.Interface, factory informers.SharedInformerFactory) (Controller, error) {
			factory.Core().V1().Pods().Informer()
			return f, err
		}}},
	}
}

func TestControllersStop(t *testing.T) {
	for name, tc := range map[string]struct {
		needs time.Duration
		want  error
	}{"in time": {9 * time.Second, nil}, "too late": {11 * time.Second, errShutdown}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &fakeController{ends: func(ctx context.Context) { <-ctx.Done(); time.Sleep(tc.needs) }}
				m := newManager(f, nil)
				if err := m.ready(); err != nil {
					t.Errorf("who does not lead is not ready: %v", err)
				}
				ctx, stop := context.WithCancel(t.Context())
				result := make(chan error)
				go func() { result <- m.work(ctx) }()
				synctest.Wait()
				if err := m.ready(); err == nil || !strings.Contains(err.Error(), "fake waits") {
					t.Errorf("ready without caches: %v", err)
				}
				f.synced = true
				if err := m.ready(); err != nil {
					t.Error(err)
				}
				stop()
				if err := <-result; !errors.Is(err, tc.want) {
					t.Errorf("got %v", err)
				}
				time.Sleep(time.Minute)
			})
		})
	}
}

func TestControllerThatCannotBeMade(t *testing.T) {
	broken := errors.New("broken")
	if err := newManager(nil, broken).work(t.Context()); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

// Operators know the controllers' queues by these names.
func TestMetricsOfQueues(t *testing.T) {
	client := fake.NewClientset()
	factory := informers.NewSharedInformerFactory(client, 0)
	if _, err := resourceclaim.New(t.Context(), client, factory); err != nil {
		t.Fatal(err)
	}
	if _, err := tainteviction.New(t.Context(), client, factory, tainteviction.Config{}); err != nil {
		t.Fatal(err)
	}
	families, err := legacyregistry.DefaultGatherer.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var queues []string
	for _, family := range families {
		if family.GetName() == "workqueue_adds_total" {
			for _, metric := range family.GetMetric() {
				queues = append(queues, metric.GetLabel()[0].GetValue())
			}
		}
	}
	// The API server's libraries have their own queues.
	for _, want := range []string{"device-taint-eviction-controller", "resource_claim"} {
		if !slices.Contains(queues, want) {
			t.Errorf("queues are %q, want %q to be one", queues, want)
		}
	}
}

// get requests a URL.
func get(t *testing.T, url string) (int, string) {
	t.Helper()
	client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

// Health is public, metrics need authorization by the API server.
func TestServer(t *testing.T) {
	c, err := parse(t, "--leader-elect=false", "--bind-address=127.0.0.1", "--secure-port=0", "--kubeconfig="+kubeconfig(t, "https://127.0.0.1:1")).config()
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	if stopped, err := serve(ctx, c, &election{config: c}, nil); err != nil || stopped == nil {
		t.Errorf("got %v", err)
	}
	o := parse(t, "--leader-elect=false", "--bind-address=127.0.0.1", "--kubeconfig="+kubeconfig(t, "https://127.0.0.1:1"))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	o.serving.Listener, o.serving.BindPort = listener, 0
	if c, err = o.config(); err != nil {
		t.Fatal(err)
	}
	notReady := errors.New("not ready")
	stopped, err := serve(ctx, c, &election{config: c}, func() error { return notReady })
	if err != nil {
		t.Fatal(err)
	}
	url := "https://" + listener.Addr().String()
	for path, want := range map[string]int{"/healthz": 200, "/livez": 200, "/readyz": 500, "/metrics": 403, "/debug/pprof/": 403} {
		if status, body := get(t, url+path); status != want {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	notReady = nil
	if status, body := get(t, url+"/readyz?verbose"); status != 200 || !strings.Contains(body, "[+]controllers ok") {
		t.Errorf("%d %s", status, body)
	}
	stop()
	<-stopped
}
