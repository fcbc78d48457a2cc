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

package sim

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	draclient "k8s.io/dynamic-resource-allocation/client"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/spec"
)

// The driver library finds the served version by its own means.
func TestAccess(t *testing.T) {
	var mutex sync.Mutex
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mutex.Lock()
		defer mutex.Unlock()
		asked = append(asked, r.URL.Path+" as "+r.Header.Get("Authorization"))
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"apiVersion":"resource.k8s.io/v1beta1","kind":"ResourceClaim","metadata":{"name":"c","namespace":"ns"}}`))
	}))
	t.Cleanup(server.Close)
	config := Config{REST: &rest.Config{Host: server.URL, BearerToken: "agent"}}
	client, err := config.client(spec.DriverConfig{Publishing: spec.PublishByHelper, Access: spec.Access{Token: "own", Versions: []string{"v1beta1"}}})
	if err != nil {
		t.Fatal(err)
	}
	claim, err := draclient.New(client).ResourceClaims("ns").Get(t.Context(), "c", metav1.GetOptions{})
	if err != nil || claim.Name != "c" {
		t.Fatalf("got claim %v, %v", claim, err)
	}
	mutex.Lock()
	defer mutex.Unlock()
	if want := "/apis/resource.k8s.io/v1beta1/namespaces/ns/resourceclaims/c as Bearer own"; strings.Join(asked, ", ") != want {
		t.Errorf("asked %v, want %s", asked, want)
	}
	own := spec.DriverConfig{Publishing: spec.PublishByHelper, Access: spec.Access{Token: "own"}}
	if _, err := (Config{}).client(own); !errors.Is(err, ErrInvalid) {
		t.Errorf("an agent that was given no way to the API server: got %v, want %v", err, ErrInvalid)
	}
	own.Publishing = spec.PublishAtOnce
	if _, err := config.client(own); !errors.Is(err, ErrInvalid) {
		t.Errorf("access of its own where the agent publishes: got %v, want %v", err, ErrInvalid)
	}
}

// A withdrawn device is not prepared; one prepared before stays prepared.
func TestWithdrawnDevice(t *testing.T) {
	root := shortDir(t)
	kubelet := startKubelet(t, root)
	agent, client := newAgent(t, root)
	if err := agent.Start(t.Context(), spec.DriverConfig{Name: driver, Profile: profiles.TwoDevices()}); err != nil {
		t.Fatal(err)
	}
	kubelet.registered(t, 1)
	before := allocatedIn(t, client, "before", "device-1")
	if answer := kubelet.prepare(t, before); answer.GetError() != "" {
		t.Fatalf("prepare answered %v", answer)
	}
	one := profiles.OneDevice()
	if err := agent.Change(t.Context(), driver, spec.DriverChange{Profile: &one}); err != nil {
		t.Fatal(err)
	}
	if answer := kubelet.prepare(t, before); answer.GetError() != "" {
		t.Errorf("a claim that is prepared is refused when its device is gone: %v", answer)
	}
	kubelet.unprepare(t, before)
	if answer := kubelet.prepare(t, before); !strings.Contains(answer.GetError(), "device-1 of pool node-1 is not there any more") {
		t.Errorf("a device that is gone is prepared: %v", answer)
	}
}

func TestMetadata(t *testing.T) {
	root := shortDir(t)
	kubelet := startKubelet(t, root)
	agent, client := newAgent(t, root)
	if err := agent.Start(t.Context(), spec.DriverConfig{Name: driver, Profile: profiles.WritingMetadata(profiles.OneDevice())}); err != nil {
		t.Fatal(err)
	}
	kubelet.registered(t, 1)
	claim := allocatedIn(t, client, "c", "device-0")
	answer := kubelet.prepare(t, claim)
	if answer.GetError() != "" || len(answer.GetDevices()) != 1 || len(answer.Devices[0].GetCdiDeviceIds()) != 2 {
		t.Fatalf("prepare answered %v", answer)
	}
	if prepared := statusOf(t, agent).Prepared; len(prepared) != 1 {
		t.Errorf("prepared: %v", prepared)
	}
	kubelet.unprepare(t, claim)
	if left, err := os.ReadDir(filepath.Join(root, "cdi")); err != nil || len(left) > 0 {
		t.Errorf("CDI files left: %v, %v", left, err)
	}
}

func TestConnectionsAreCounted(t *testing.T) {
	root := shortDir(t)
	kubelet := startKubelet(t, root)
	agent, client := newAgent(t, root)
	if err := agent.Start(t.Context(), spec.DriverConfig{Name: driver, Profile: profiles.OneDevice()}); err != nil {
		t.Fatal(err)
	}
	kubelet.registered(t, 1)
	connections := statusOf(t, agent).Connections
	if err := agent.Change(t.Context(), driver, spec.DriverChange{Restart: true}); err != nil {
		t.Fatal(err)
	}
	kubelet.registered(t, 2)
	kubelet.prepare(t, allocatedIn(t, client, "c", "device-0"))
	if got := statusOf(t, agent).Connections; got != connections+1 {
		t.Errorf("%d connections after one call, %d before", got, connections)
	}
}

// Two concurrent kubelets stand for one with concurrent pods.
func TestCallsAreWorkedOnOneByOne(t *testing.T) {
	root := shortDir(t)
	kubelet := startKubelet(t, root)
	agent, client := newAgent(t, root)
	if err := agent.Start(t.Context(), spec.DriverConfig{Name: driver, Profile: profiles.TwoDevices()}); err != nil {
		t.Fatal(err)
	}
	kubelet.registered(t, 1)
	faults := []spec.Fault{{Method: spec.Prepare, Kind: spec.FaultBusy}}
	if err := agent.Change(t.Context(), driver, spec.DriverChange{Faults: &faults}); err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for i := range 2 {
		claim := allocatedIn(t, client, fmt.Sprintf("c%d", i), fmt.Sprintf("device-%d", i))
		group.Go(func() { kubelet.prepare(t, claim) })
	}
	group.Wait()
	got := statusOf(t, agent)
	if len(got.Calls) != 2 || got.Calls[1].Start.After(got.Calls[0].Start.Add(got.Calls[0].Took)) {
		t.Errorf("the calls have not come at once: %v", got.Calls)
	}
	if got.AtOnce != 1 {
		t.Errorf("worked on %d calls at once", got.AtOnce)
	}
}
