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
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/testing/protocmp"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	drapb "k8s.io/kubelet/pkg/apis/dra/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/spec"
)

func TestMain(m *testing.M) {
	// Ignore fake watches of client-go's tracker and klog's flusher.
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("k8s.io/klog/v2.(*flushDaemon).run.func1"))
}

// shortDir is a directory with a path short enough for sockets.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "sim")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func TestLifeOfADriver(t *testing.T) {
	root := shortDir(t)
	kubelet := startKubelet(t, root)
	claim := allocated("c", "device-0")
	agent, client := newAgent(t, root, claim)
	config := spec.DriverConfig{Name: driver, Profile: profiles.TwoDevices()}
	for range 2 { // the second time does nothing
		if err := agent.Start(t.Context(), config); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"device-0", "device-1"}, published(t, client)); diff != "" {
		t.Errorf("devices (-want +got):\n%s", diff)
	}
	kubelet.registered(t, 1)
	for range 2 { // idempotent
		answer := kubelet.prepare(t, claim)
		if answer.GetError() != "" || len(answer.GetDevices()) != 1 || answer.Devices[0].CdiDeviceIds[0] != "sim.example.com/claim=uid-c-0" {
			t.Fatalf("prepare answered %v", answer)
		}
	}
	if diff := cmp.Diff([]types.UID{"uid-c"}, statusOf(t, agent).Prepared); diff != "" {
		t.Errorf("prepared (-want +got):\n%s", diff)
	}
	if answer := kubelet.prepare(t, allocatedIn(t, client, "d", "device-0")); !strings.Contains(answer.GetError(), "still prepared for claim ns/c") {
		t.Errorf("a device in use was prepared again: %v", answer)
	}
	for range 2 {
		kubelet.unprepare(t, claim)
	}
	if prepared := statusOf(t, agent).Prepared; len(prepared) != 0 {
		t.Errorf("still prepared: %v", prepared)
	}
	for range 2 {
		if err := agent.Stop(t.Context(), driver); err != nil {
			t.Fatal(err)
		}
	}
	if left := files(t, root); len(left) > 0 || len(published(t, client)) > 0 {
		t.Errorf("left after stop: files %v, devices %v", left, published(t, client))
	}
	if _, err := agent.Status(driver); !errors.Is(err, ErrNotFound) {
		t.Errorf("status of a stopped driver: %v", err)
	}
}

// TestStateSurvives replaces the process in each way while a claim is prepared.
func TestStateSurvives(t *testing.T) {
	tests := []struct {
		name    string
		changes []spec.DriverChange
	}{
		{"restart", []spec.DriverChange{{Restart: true}}},
		{"upgrade", []spec.DriverChange{{Upgrade: true}}},
		{"two upgrades", []spec.DriverChange{{Upgrade: true}, {Upgrade: true}}},
		{"crash", []spec.DriverChange{{Disconnect: ptr.To(true)}, {Disconnect: ptr.To(false)}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			root := shortDir(t)
			kubelet := startKubelet(t, root)
			claim := allocated("c", "device-0")
			agent, client := newAgent(t, root, claim)
			if err := agent.Start(t.Context(), spec.DriverConfig{Name: driver, Profile: profiles.TwoDevices()}); err != nil {
				t.Fatal(err)
			}
			kubelet.registered(t, 1)
			kubelet.prepare(t, claim)
			for _, change := range test.changes {
				before := kubelet.registrations()
				if err := agent.Change(t.Context(), driver, change); err != nil {
					t.Fatal(err)
				}
				if ptr.Deref(change.Disconnect, false) {
					continue
				}
				eventually(t, "registered again", func() bool { return kubelet.registrations() > before && statusOf(t, agent).Registered })
			}
			got := statusOf(t, agent)
			if len(got.Prepared) != 1 || len(got.Calls) != 1 {
				t.Errorf("forgotten: %+v", got)
			}
			kubelet.unprepare(t, claim)
			if got := statusOf(t, agent); len(got.Prepared) != 0 || len(got.Calls) != 2 {
				t.Errorf("not unprepared: %+v", got)
			}
			if devices := published(t, client); len(devices) != 2 {
				t.Errorf("published twice or never: %v", devices)
			}
		})
	}
}

// A reboot removes CDI files without notice: the driver recreates them on the next prepare.
func TestLostCDIFilesAreMadeAgain(t *testing.T) {
	root := shortDir(t)
	kubelet := startKubelet(t, root)
	claim := allocated("c", "device-0")
	agent, _ := newAgent(t, root, claim)
	if err := agent.Start(t.Context(), spec.DriverConfig{Name: driver, Profile: profiles.OneDevice()}); err != nil {
		t.Fatal(err)
	}
	kubelet.registered(t, 1)
	first := kubelet.prepare(t, claim)
	if err := agent.Change(t.Context(), driver, spec.DriverChange{LoseCDI: true}); err != nil {
		t.Fatal(err)
	}
	if got := statusOf(t, agent).Prepared; len(got) != 0 {
		t.Errorf("there are files of %v", got)
	}
	again := kubelet.prepare(t, claim)
	if diff := cmp.Diff(first.GetDevices(), again.GetDevices(), protocmp.Transform()); diff != "" || len(statusOf(t, agent).Prepared) != 1 {
		t.Errorf("prepared %v again, with other devices:\n%s", statusOf(t, agent).Prepared, diff)
	}
}

func TestDisconnectLeavesSlices(t *testing.T) {
	root := shortDir(t)
	startKubelet(t, root)
	agent, client := newAgent(t, root)
	if err := agent.Start(t.Context(), spec.DriverConfig{Name: driver, Profile: profiles.OneDevice()}); err != nil {
		t.Fatal(err)
	}
	if err := agent.Change(t.Context(), driver, spec.DriverChange{Disconnect: ptr.To(true)}); err != nil {
		t.Fatal(err)
	}
	if len(published(t, client)) != 1 || statusOf(t, agent).Registered {
		t.Errorf("devices %v, status %+v", published(t, client), statusOf(t, agent))
	}
	if sockets, _ := filepath.Glob(filepath.Join(root, "plugins*", "*", "*.sock")); len(sockets) > 0 {
		t.Errorf("sockets are left: %v", sockets)
	}
}

// TestSlicesComeBackAfterKubeletRestart: a starting kubelet deletes all slices of its node, then registers the
// present drivers.
func TestSlicesComeBackAfterKubeletRestart(t *testing.T) {
	root := shortDir(t)
	kubelet := startKubelet(t, root)
	agent, client := newAgent(t, root)
	if err := agent.Start(t.Context(), spec.DriverConfig{Name: driver, Profile: profiles.OneDevice()}); err != nil {
		t.Fatal(err)
	}
	kubelet.registered(t, 1)
	err := client.Tracker().Delete(resourceapi.SchemeGroupVersion.WithResource("resourceslices"), "", sliceName(t, client))
	if err != nil {
		t.Fatal(err)
	}
	kubelet.restart()
	eventually(t, "published again", func() bool { return len(published(t, client)) == 1 })
}

func TestWrongRequests(t *testing.T) {
	root := shortDir(t)
	startKubelet(t, root)
	agent, _ := newAgent(t, root)
	if err := agent.Start(t.Context(), spec.DriverConfig{Name: "1.example.com"}); !errors.Is(err, ErrInvalid) {
		t.Errorf("bad name: %v", err)
	}
	if err := agent.Start(t.Context(), spec.DriverConfig{Name: driver}); err != nil {
		t.Fatal(err)
	}
	if err := agent.Start(t.Context(), spec.DriverConfig{Name: driver, Profile: profiles.OneDevice()}); !errors.Is(err, ErrExists) {
		t.Errorf("other configuration: %v", err)
	}
	if err := agent.Change(t.Context(), "other", spec.DriverChange{}); !errors.Is(err, ErrNotFound) {
		t.Errorf("unknown driver: %v", err)
	}
	bad := []spec.Fault{{Method: spec.Prepare, Kind: "?"}}
	if err := agent.Change(t.Context(), driver, spec.DriverChange{Faults: &bad}); !errors.Is(err, ErrInvalid) {
		t.Errorf("bad fault: %v", err)
	}
}

func TestLeftoversOfADeadAgentAreRemoved(t *testing.T) {
	root := shortDir(t)
	kubelet := startKubelet(t, root)
	claim := allocated("c", "device-0")
	dead, client := newAgent(t, root, claim)
	if err := dead.Start(t.Context(), spec.DriverConfig{Name: driver, Profile: profiles.OneDevice()}); err != nil {
		t.Fatal(err)
	}
	kubelet.registered(t, 1)
	kubelet.prepare(t, claim)
	foreign := filepath.Join(root, "plugins", "foreign.example.com")
	if err := os.MkdirAll(foreign, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := New(t.Context(), dead.config); err != nil {
		t.Fatal(err)
	}
	eventually(t, "slices stay away", func() bool { return len(published(t, client)) == 0 })
	if left := files(t, root); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if _, err := os.Stat(foreign); err != nil {
		t.Errorf("another driver's directory: %v", err)
	}
}

// files lists the files left in a node's directories.
func files(t *testing.T, root string) []string {
	t.Helper()
	var left []string
	err := filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			left = append(left, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return left
}

func TestGRPCVersions(t *testing.T) {
	tests := []struct {
		name string
		grpc []spec.GRPCVersion
		want string
	}{
		{"default", nil, "v1.DRAPlugin v1beta1.DRAPlugin"},
		{"new", []spec.GRPCVersion{spec.GRPCv1}, "v1.DRAPlugin"},
		{"old", []spec.GRPCVersion{spec.GRPCv1beta1}, "v1beta1.DRAPlugin"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			root := shortDir(t)
			kubelet := startKubelet(t, root)
			agent, _ := newAgent(t, root)
			if err := agent.Start(t.Context(), spec.DriverConfig{Name: driver, GRPC: test.grpc}); err != nil {
				t.Fatal(err)
			}
			kubelet.registered(t, 1)
			if got := strings.Join(kubelet.infos[0].SupportedVersions, " "); got != test.want {
				t.Errorf("offered %q, want %q", got, test.want)
			}
		})
	}
}

func TestGRPCVersionsAreReplaced(t *testing.T) {
	for name, change := range map[string]spec.DriverChange{"rolling": {Upgrade: true}, "stop and start": {Restart: true}} {
		t.Run(name, func(t *testing.T) {
			root := shortDir(t)
			kubelet := startKubelet(t, root)
			agent, _ := newAgent(t, root)
			if err := agent.Start(t.Context(), spec.DriverConfig{Name: driver, GRPC: []spec.GRPCVersion{spec.GRPCv1beta1}}); err != nil {
				t.Fatal(err)
			}
			kubelet.registered(t, 1)
			change.GRPC = &[]spec.GRPCVersion{spec.GRPCv1}
			if err := agent.Change(t.Context(), driver, change); err != nil {
				t.Fatal(err)
			}
			kubelet.registered(t, 2)
			if got := kubelet.infos[1].SupportedVersions; !slices.Equal(got, []string{"v1.DRAPlugin"}) {
				t.Errorf("offered %q", got)
			}
			if err := agent.Change(t.Context(), driver, spec.DriverChange{GRPC: &[]spec.GRPCVersion{"v2"}}); !errors.Is(err, ErrInvalid) {
				t.Errorf("v2: %v", err)
			}
		})
	}
}

// The kubelet gets the driver's scripted announcement until it is reset.
func TestAnnouncement(t *testing.T) {
	root := shortDir(t)
	kubelet := startKubelet(t, root)
	agent, _ := newAgent(t, root)
	if err := agent.Start(t.Context(), spec.DriverConfig{Name: driver, GRPC: []spec.GRPCVersion{spec.GRPCv1}}); err != nil {
		t.Fatal(err)
	}
	for i, tc := range []struct {
		announcement   spec.Announcement
		kind, services string
	}{
		{spec.Announcement{}, "DRAPlugin", "v1.DRAPlugin"},
		{spec.Announcement{Type: "Other", Versions: []string{"v0.DRAPlugin"}}, "Other", "v0.DRAPlugin"},
		{spec.Announcement{}, "DRAPlugin", "v1.DRAPlugin"},
	} {
		if i > 0 {
			if err := agent.Change(t.Context(), driver, spec.DriverChange{Announce: &tc.announcement, Restart: true}); err != nil {
				t.Fatal(err)
			}
		}
		kubelet.registered(t, i+1)
		if got := kubelet.infos[i]; got.Type != tc.kind || strings.Join(got.SupportedVersions, " ") != tc.services {
			t.Errorf("registration %d: type %s, services %v", i, got.Type, got.SupportedVersions)
		}
	}
}

// A driver fails the scripted calls of its registration, once each.
func TestRegistrationFails(t *testing.T) {
	root := shortDir(t)
	kubelet := startKubelet(t, root)
	agent, _ := newAgent(t, root)
	if err := agent.Start(t.Context(), spec.DriverConfig{Name: driver}); err != nil {
		t.Fatal(err)
	}
	kubelet.registered(t, 1)
	fails := []spec.Method{spec.GetInfo, spec.NotifyRegistrationStatus}
	if err := agent.Change(t.Context(), driver, spec.DriverChange{Announce: &spec.Announcement{Fails: fails}, Restart: true}); err != nil {
		t.Fatal(err)
	}
	kubelet.registered(t, 2)
	if got := statusOf(t, agent).RegistrationFailed; !slices.Equal(got, fails) {
		t.Errorf("failed %v", got)
	}
}

// A driver with a shut service still registers, and can be called once it is open, also after a reconnect.
func TestServiceIsShut(t *testing.T) {
	root := shortDir(t)
	kubelet := startKubelet(t, root)
	agent, _ := newAgent(t, root)
	if err := agent.Start(t.Context(), spec.DriverConfig{Name: driver, Profile: profiles.OneDevice()}); err != nil {
		t.Fatal(err)
	}
	kubelet.registered(t, 1)
	change := func(c spec.DriverChange) {
		t.Helper()
		if err := agent.Change(t.Context(), driver, c); err != nil {
			t.Fatal(err)
		}
	}
	conn, err := dialSocket(kubelet.infos[0].Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	call := func() error {
		_, err := drapb.NewDRAPluginClient(conn).NodePrepareResources(t.Context(), &drapb.NodePrepareResourcesRequest{}, grpc.WaitForReady(false))
		return err
	}
	if err := call(); err != nil {
		t.Fatal(err)
	}
	change(spec.DriverChange{Serve: ptr.To(false)})
	eventually(t, "the connection is lost", func() bool { return call() != nil })
	change(spec.DriverChange{Restart: true})
	kubelet.registered(t, 2)
	if err := call(); err == nil {
		t.Error("a call came through when the driver had registered again")
	}
	change(spec.DriverChange{Serve: ptr.To(true)})
	eventually(t, "calls come through again", func() bool { return call() == nil })
}

func TestStartAndStopAreFast(t *testing.T) {
	root := shortDir(t)
	startKubelet(t, root)
	agent, _ := newAgent(t, root)
	start := time.Now()
	if err := agent.Start(t.Context(), spec.DriverConfig{Name: driver, Profile: profiles.TwoModels()}); err != nil {
		t.Fatal(err)
	}
	if err := agent.Stop(t.Context(), driver); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(start); took > 500*time.Millisecond {
		t.Errorf("took %s, cases start and stop one each", took)
	}
}
