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

package soak

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/audit"
	"github.com/dra-conformance/dratest/framework/soak/load"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/schema"
)

// nodeAgents have a proxy before the driver on each node.
type nodeAgents struct {
	agentapi.AgentClient

	status  spec.DriverStatus
	files   map[string][]byte
	proxies int
}

func (a *nodeAgents) GetProxyStatus(context.Context, *agentapi.DriverRequest, ...grpc.CallOption) (*agentapi.JSON, error) {
	return &agentapi.JSON{Json: agentapi.Encode(a.status)}, nil
}

func (a *nodeAgents) StartProxy(context.Context, *agentapi.DriverSpec, ...grpc.CallOption) (*emptypb.Empty, error) {
	return &emptypb.Empty{}, nil
}

func (a *nodeAgents) StopProxy(context.Context, *agentapi.DriverRequest, ...grpc.CallOption) (*emptypb.Empty, error) {
	a.proxies++
	return &emptypb.Empty{}, nil
}

func (a *nodeAgents) GetEvidence(context.Context, *agentapi.EvidenceRequest, ...grpc.CallOption) (*agentapi.Evidence, error) {
	return &agentapi.Evidence{Files: map[string][]byte{agentapi.Checkpoint: nil}}, nil
}

func (a *nodeAgents) ListSpecs(context.Context, *agentapi.NodeRequest, ...grpc.CallOption) (*agentapi.Files, error) {
	return &agentapi.Files{Files: a.files}, nil
}

// newInstalled is a soak of an installed driver on node n.
func newInstalled(t *testing.T, o Options) (*world, *nodeAgents) {
	t.Helper()
	o.Seed, o.Pods = 1, 1
	w := newWorld(t, o)
	a := &nodeAgents{status: spec.DriverStatus{Registered: true, Process: &spec.ProcessUse{Memory: 1 << 20, FileDescriptors: 9}}}
	w.bed.agents, w.bed.found = a, spec.DriverUnderTest{Driver: "driver", DriverClass: spec.DriverClass{Class: "class", Nodes: []string{"n"}, Devices: 2}}
	w.bed.options.Installed, w.bed.kinds, w.bed.Names = o.Installed, load.OfDriver(1, false), w.bed.namesOf()
	slice := &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: "slice"}, Spec: resourceapi.ResourceSliceSpec{
		Driver: "driver", NodeName: ptr.To("n"), Pool: resourceapi.ResourcePool{Name: "n", ResourceSliceCount: 1}, Devices: []resourceapi.Device{{Name: "a"}, {Name: "b"}},
	}}
	if _, err := w.client.ResourceV1().ResourceSlices().Create(t.Context(), slice, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	w.start()
	return w, a
}

// results ends a soak as Do does.
func (w *world) results(ctx context.Context, t *testing.T) Summary {
	t.Helper()
	w.soak(ctx, t)
	results := w.measure()
	s := w.summary(ctx, nil)
	s.Results = results
	if err := errors.Join(s.write(w.bed.options.ReportDir), s.writePage(w.bed.options.ReportDir)); err != nil {
		t.Error(err)
	}
	return s
}

func TestInstalledDriver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, a := newInstalled(t, Options{Duration: 2 * time.Minute, Installed: &Installed{Rate: 30, Limits: map[string]float64{spec.DriverFiles: 8}}})
		s := w.results(t.Context(), t)
		if s.Verdict != schema.Failed || len(s.Findings) != 1 || s.Findings[0].Rule != audit.OverBudget || !strings.Contains(s.Findings[0].Text, "file descriptors: 9 (declared: at most 8)") {
			t.Errorf("got %+v\n%s", s, w.out)
		}
		if r := s.Results; r.Achieved < 29 || r.Achieved > 31 || len(r.Samples) < 20 || a.proxies != 1 {
			t.Errorf("%g pods per minute, %d samples, %d proxies removed", r.Achieved, len(r.Samples), a.proxies)
		}
		s.Print(w.out, w.bed.options.ReportDir)
		if out := w.out.String(); !strings.Contains(out, "file descriptors") || !strings.Contains(out, "of 30 requested") {
			t.Errorf("printed\n%s", out)
		}
	})
}

// Ctrl-C in the middle leaves a result with what was measured.
func TestInterruptedSoakOfADriver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
		defer cancel()
		w, a := newInstalled(t, Options{Duration: time.Hour, Installed: &Installed{Rate: 30}})
		s := w.results(ctx, t)
		var read struct {
			Verdict schema.Verdict
			Driver  struct{ Samples []any }
		}
		data, err := os.ReadFile(filepath.Join(w.bed.options.ReportDir, SummaryFile))
		if err == nil {
			err = json.Unmarshal(data, &read)
		}
		if err != nil || read.Verdict != schema.Incomplete || len(read.Driver.Samples) < 10 || !strings.Contains(strings.Join(s.Problems, " "), "interrupted") {
			t.Errorf("%v: %s", err, data)
		}
		page, err := os.ReadFile(filepath.Join(w.bed.options.ReportDir, reports.HTMLFile))
		if err != nil || !strings.Contains(string(page), "it was interrupted") || !strings.Contains(string(page), "</html>") || !strings.Contains(string(page), "<svg") {
			t.Errorf("%v: %s", err, page)
		}
		if a.proxies != 1 {
			t.Error("the proxy stayed before the driver")
		}
	})
}

func TestRateTheNodesCannotHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _ := newInstalled(t, Options{Duration: time.Minute, Installed: &Installed{Rate: 240}})
		w.bed.options.AtOnce = 1
		s := w.results(t.Context(), t)
		if s.Verdict != schema.Incomplete || len(s.Problems) != 1 || !strings.Contains(s.Problems[0], "pods per minute instead of 240, with at most 1 pods at a time") {
			t.Errorf("got %+v", s)
		}
	})
}

// A driver that hangs is named with its claim, and since when.
func TestHangingDriver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, a := newInstalled(t, Options{Duration: 3 * time.Minute, Installed: &Installed{Rate: 30}})
		w.ignored = "one-device-1-0"
		claim, err := w.client.ResourceV1().ResourceClaims("ns").Create(t.Context(), &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: "hanging", UID: "u"}}, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		a.status.Calls = []spec.Call{{Method: spec.Prepare, Start: time.Now(), InProgress: true, Claims: []spec.ClaimCall{{Namespace: "ns", Name: claim.Name, UID: claim.UID}}}}
		s := w.results(t.Context(), t)
		var texts []string
		for _, f := range s.Findings {
			texts = append(texts, string(f.Rule)+": "+f.Text)
		}
		if all := strings.Join(texts, "\n"); !strings.Contains(all, "call-stuck: NodePrepareResources of claim ns/hanging on node n has not succeeded since 00:00:00: 1 call(s), the last one unanswered since") {
			t.Errorf("found %s", all)
		}
		if !strings.Contains(w.out.String(), "violations; 1 calls are stuck: NodePrepareResources of claim ns/hanging") {
			t.Errorf("said\n%s", w.out)
		}
	})
}

func TestLeftOnNodes(t *testing.T) {
	found := leftSpecs("n", map[string][]byte{"/var/run/cdi/a-uid-1.yaml": nil, "/etc/cdi/static.yaml": []byte("claim-uid-2"), "/etc/cdi/b.yaml": nil}, []types.UID{"uid-1", "uid-2", "uid-3"})
	found = append(found, lost(map[string]int{"n": 4, "m": 4}, map[string]int{"n": 3, "m": 5})...)
	var texts []string
	for _, v := range found {
		texts = append(texts, v.String())
	}
	const want = "still-prepared: claim uid-2 on node n is still prepared by the driver: CDI file /etc/cdi/static.yaml\n" +
		"still-prepared: claim uid-1 on node n is still prepared by the driver: CDI file /var/run/cdi/a-uid-1.yaml\n" +
		"devices-lost: node n has 3 published device(s), before the load it had 4"
	if got := strings.Join(texts, "\n"); got != want {
		t.Errorf("got %s", got)
	}
}

func TestOptionsOfAnInstalledDriver(t *testing.T) {
	o := Options{Pods: 1, Duration: time.Second, Patience: 1, Installed: &Installed{Rate: -1}}
	o.Kubeconfig = "k"
	err := o.Validate()
	for _, want := range []string{"rate:", "duration:"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in: %v", want, err)
		}
	}
	o.Installed, o.Duration = &Installed{Rate: 1}, time.Minute
	if err := o.Validate(); err != nil {
		t.Error(err)
	}
}

// The page of a run in the same directory was removed with the results of an earlier soak.
func TestPageOfARunStays(t *testing.T) {
	dir := t.TempDir()
	page := filepath.Join(dir, reports.HTMLFile)
	for _, name := range []string{reports.JSONFile, reports.HTMLFile, SummaryFile} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := Clean(dir, nil); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(page); err != nil {
		t.Error(err)
	}
	if err := errors.Join(os.Remove(filepath.Join(dir, reports.JSONFile)), Clean(dir, nil)); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(page); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the page of an earlier soak stays: %v", err)
	}
}

// A node with one device cannot hold 30 pods per minute: no such driver was certified with --load.
func TestRateFitsTheDevices(t *testing.T) {
	for name, tc := range map[string]struct {
		driver  Installed
		devices int
		want    float64
	}{
		"one device":   {Installed{Rate: 30, Fit: true}, 1, 4},
		"many devices": {Installed{Rate: 30, Fit: true}, 16, 30},
		"asked for":    {Installed{Rate: 30}, 1, 30},
	} {
		if tc.driver.fit(tc.devices); tc.driver.Rate != tc.want {
			t.Errorf("%s: %g, want %g", name, tc.driver.Rate, tc.want)
		}
	}
}
