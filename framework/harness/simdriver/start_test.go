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

package simdriver

import (
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/spec"
)

func TestDriverStart(t *testing.T) {
	a := &agents{}
	f, _ := newCase(t, a, wholePool())
	f.Succeeds(t, func() { newDriver(f.T, "", false) })
	if want := []string{"node " + driverName}; !slices.Equal(a.Started, want) {
		t.Errorf("started %q", a.Started)
	}

	a.status = func(string) (spec.DriverStatus, error) {
		return spec.DriverStatus{RegistrationError: "no such version"}, nil
	}
	failed := f.Fails(t, func() {
		f.SetBlocked("the case has not started")
		newDriver(f.T, "", false)
	})
	if failed == nil || !strings.Contains(failed.Text, "no such version") || !strings.Contains(failed.Text, "on node") {
		t.Errorf("got %+v", failed)
	}
	if failed != nil && failed.Blocked != "" {
		t.Error("a kubelet that registers no driver is taken for a problem of the environment")
	}
}

// The agent of a node cannot be reached until it has restarted. Then the driver has to be started.
func TestDriverComesBackWithItsNode(t *testing.T) {
	a := &agents{until: 3}
	a.status = func(string) (spec.DriverStatus, error) {
		return spec.DriverStatus{Registered: len(a.Started) > 0}, nil
	}
	f, d := newCase(t, a, wholePool())
	if d.RunsOn("node") {
		t.Error("it runs on a node before it was started there")
	}
	f.Succeeds(t, func() { d.StartAgain("node") })
	if len(a.Started) != 1 || a.tries != 3 || !d.RunsOn("node") {
		t.Errorf("started %q in %d tries", a.Started, a.tries)
	}
	f.Succeeds(t, func() { d.StartAgain("control-plane") })
	if a.tries != 3 {
		t.Error("started on a node that is not of the case")
	}

	// A driver without its pools is not back.
	if err := f.Client.ResourceV1().ResourceSlices().Delete(t.Context(), wholePool().Name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if failed := f.Fails(t, func() { d.StartAgain("node") }); failed == nil {
		t.Error("it is back without its pools")
	}
}

// A case's second driver is stopped with the first one, and is called by another name.
func TestSecondDriver(t *testing.T) {
	a := &agents{status: func(string) (spec.DriverStatus, error) {
		return spec.DriverStatus{Registered: true, Calls: []spec.Call{{Method: spec.Prepare, Claims: []spec.ClaimCall{{Name: "claim"}}}}}, nil
	}}
	f, first := newCase(t, a, wholePool())
	var second *Driver
	f.Succeeds(t, func() { second = Second(f.T, spec.Profile{Pools: []spec.Pool{{}}}, nil) })
	if second.Name == first.Name {
		t.Errorf("driver %s", second.Name)
	}
	if got := second.CalledOn("claim"); !slices.Equal(got, []string{"node"}) {
		t.Errorf("called on %v", got)
	}
	if got := second.CalledOn("other"); len(got) != 0 {
		t.Errorf("called on %v", got)
	}
	if err := f.End(t); err != nil || len(a.Stopped) != 2 {
		t.Errorf("stopped %q: %v", a.Stopped, err)
	}
}
