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

package classic

import (
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/dra-conformance/dratest/framework/audit"
	"github.com/dra-conformance/dratest/framework/harness/classicdra"
	"github.com/dra-conformance/dratest/framework/soak"
)

// fakeProcess works again two seconds after its start.
type fakeProcess struct {
	classicdra.Process

	done  []string
	begun time.Time
	held  map[string]string
	ended error
}

func (p *fakeProcess) Kill() error {
	p.done = append(p.done, "kill")
	return p.ended
}

func (p *fakeProcess) Begin(what classicdra.ProcessConfig) error {
	p.done, p.begun = append(p.done, "begin "+what.Log), time.Now()
	return nil
}

func (p *fakeProcess) Worked() (bool, error) { return time.Since(p.begun) >= 2*time.Second, nil }

func (p *fakeProcess) Hold(more map[string]string) error {
	p.done = append(p.done, "hold")
	maps.Copy(p.held, more)
	return nil
}

type plane struct{ done []string }

func (p *plane) Restart(_ context.Context, cluster string, programs ...string) error {
	p.done = append(p.done, cluster+" "+strings.Join(programs, " "))
	return nil
}

func TestKillOfClassicDRA(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		scheduler, driver, p := &fakeProcess{}, &fakeProcess{}, &plane{}
		target := soak.Target{Cluster: "c"}
		soaked := &Soak{scheduler: newProgram(scheduler, classicdra.ProcessConfig{Log: "scheduler.log"}), driver: newProgram(driver, classicdra.ProcessConfig{Log: "driver.log"})}
		var names []string
		for _, fault := range soaked.Kills(p) {
			names = append(names, fault.Name())
			if err := fault.Do(t.Context(), target); err != nil {
				t.Error(err)
			}
		}
		if got := strings.Join(names, ", "); got != "kill scheduler, kill controller-manager, kill controllers, kill driver" {
			t.Errorf("names %s", got)
		}
		if got := strings.Join(slices.Concat(scheduler.done, driver.done, p.done), ", "); got != "kill, begin scheduler.log, kill, begin driver.log, c kube-controller-manager, c dra-controller-manager" {
			t.Errorf("done %s", got)
		}
		if now := time.Since(driver.begun); now < 2*time.Second {
			t.Errorf("the driver has not worked yet after %s", now)
		}
	})
}

// A program that had exited by itself does not count as killed, and is restarted for the next kill.
func TestKillOfAProgramThatHasEnded(t *testing.T) {
	driver := &fakeProcess{ended: os.ErrProcessDone}
	soaked := &Soak{driver: newProgram(driver, classicdra.ProcessConfig{Log: "driver.log"})}
	err := soaked.Kills(nil)[3].Do(t.Context(), soak.Target{})
	if !errors.Is(err, os.ErrProcessDone) || !strings.Contains(err.Error(), "driver.log") || strings.Join(driver.done, ", ") != "kill, begin driver.log" {
		t.Errorf("got %v, done %q", err, driver.done)
	}
}

// Each fault violates its rule; apart from it, claims match the driver's held devices.
func TestInjectIntoClassicDRA(t *testing.T) {
	of := schema.GroupVersion{Group: classicdra.Group, Version: classicdra.Version}
	for i := range (&Soak{}).Injections() {
		template := &resourceapi.ResourceClaimTemplate{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "delayed-0"}}
		template.Spec.Spec.Devices.Requests = []resourceapi.DeviceRequest{{Name: "r"}}
		driver := &fakeProcess{held: map[string]string{}}
		soaked := &Soak{driver: newProgram(driver, classicdra.ProcessConfig{}), client: dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(),
			map[schema.GroupVersionResource]string{of.WithResource("classicclaims"): "ClassicClaimList", of.WithResource("podschedulings"): "PodSchedulingList"})}
		target := soak.Target{Client: fake.NewClientset(template), Namespace: "ns", Driver: "d", Unpublished: true}
		fault := soaked.Injections()[i]
		if err := fault.Do(t.Context(), target); err != nil {
			t.Errorf("%s: %v", fault.ID, err)
			continue
		}
		if found := audited(t, target, soaked, driver.held); !slices.ContainsFunc(found, func(v audit.Violation) bool { return v.Rule == fault.Rule }) {
			t.Errorf("%s: found %v", fault.ID, found)
		}
	}
}

// audited returns the violations of all rules.
func audited(t *testing.T, target soak.Target, soaked *Soak, held map[string]string) []audit.Violation {
	t.Helper()
	claims, err := target.Client.ResourceV1().ResourceClaims("ns").List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	pods, err := target.Client.CoreV1().Pods("ns").List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	records, err := soaked.kind("classicclaims").Namespace("ns").List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	schedulings, err := soaked.kind("podschedulings").Namespace("ns").List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	c := classicdra.Observed{Driver: "d", Held: held, Claims: claims.Items, Pods: pods.Items, Records: records.Items, Schedulings: schedulings.Items}
	return slices.Concat(classicdra.HeldTwice(held), classicdra.AllocatedHeld(c), classicdra.Left(c), audit.Devices(claims.Items, nil),
		audit.Settled(audit.World{Claims: claims.Items, Pods: pods.Items}), audit.Unended(pods.Items))
}
