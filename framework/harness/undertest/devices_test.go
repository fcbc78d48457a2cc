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

package undertest

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/harnesstest"
	"github.com/dra-conformance/dratest/framework/pools"
	"github.com/dra-conformance/dratest/framework/spec"
)

const vendor = "gpu.example.com"

// node is a kubelet and a container runtime with these answers.
type node struct {
	agentapi.AgentClient

	reported spec.PodResources
	has      []string
	unseen   bool
	// late answers the next query when its time is over.
	late bool
}

func (n *node) GetPodResources(context.Context, *agentapi.PodRequest, ...grpc.CallOption) (*agentapi.JSON, error) {
	return &agentapi.JSON{Json: agentapi.Encode(n.reported)}, nil
}

func (n *node) ListCDIDevices(context.Context, *agentapi.ContainerRequest, ...grpc.CallOption) (*agentapi.Names, error) {
	return &agentapi.Names{Names: n.has}, nil
}

func (n *node) GetEvidence(ctx context.Context, _ *agentapi.EvidenceRequest, _ ...grpc.CallOption) (*agentapi.Evidence, error) {
	if n.late {
		n.late = false
		<-ctx.Done()
	}
	if n.unseen {
		return &agentapi.Evidence{Files: map[string][]byte{"sockets": nil}, Missing: []string{"dra_manager_state: no such file"}}, nil
	}
	return &agentapi.Evidence{Files: map[string][]byte{agentapi.Checkpoint: []byte(`{"Data":"{\"ClaimInfoStateList\":[{\"Namespace\":\"dratest-other\"}]}"}`)}}, nil
}

// newVendorCase returns a case with pod "pod", whose claim has one device of the driver, and everything
// as it should be.
func newVendorCase(t *testing.T) (*vendorCase, *node, *resourceapi.ResourceClaim) {
	t.Helper()
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "pod", Namespace: harnesstest.Namespace}, Spec: corev1.PodSpec{NodeName: "worker"}}
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "main", ContainerID: "containerd://1"}}
	n := &node{reported: spec.PodResources{List: []spec.ContainerDevice{{Container: "main", Claim: "claim", Pool: "worker", Device: "gpu-0", CDIDevices: []string{"v/c=0"}}}}, has: []string{"v/c=0"}}
	s := spec.DriverUnderTest{Driver: vendor, DriverClass: spec.DriverClass{Class: "gpu", Selectors: []string{"true"}, Nodes: []string{"worker"}}, Workload: spec.Workload{Identify: []string{"list"}}}
	f := harnesstest.New(t, spec.Meta{}, &harness.Env{Agents: n, Plan: spec.Plan{Target: spec.Target{DriverUnderTest: &s}}, Driver: New(nil)}, pod)
	claim := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: "claim", Namespace: harnesstest.Namespace}}
	claim.Status.Allocation = &resourceapi.AllocationResult{}
	claim.Status.Allocation.Devices.Results = []resourceapi.DeviceRequestAllocationResult{
		{Request: "req", Driver: vendor, Pool: "worker", Device: "gpu-0"}, {Request: "net", Driver: "nic.example.com", Pool: "worker", Device: "nic-0"},
	}
	return &vendorCase{f, f.Driver.(*Driver)}, n, claim
}

// vendorCase is a case on a fake cluster with a driver under test.
type vendorCase struct {
	*harnesstest.Case

	driver *Driver
}

// blocked is why a failure would not be the case's own.
func (c *vendorCase) blocked(t *testing.T) string {
	t.Helper()
	return c.Fails(t, func() { c.Fatalf("it fails") }).Blocked
}

func TestTraceOfDevices(t *testing.T) {
	for _, tc := range []struct {
		name    string
		change  func(*node)
		kubelet string
		part    bool
		fails   string
	}{
		{"as it should be", func(*node) {}, "v1.37.1", false, ""},
		{"another device", func(n *node) { n.reported.List[0].Device = "gpu-1" }, "v1.37.1", false, "the driver's response, and the allocation"},
		{"one more CDI device", func(n *node) { n.has = append(n.has, "v/c=1") }, "v1.37.1", false, "CDI devices reported by the container runtime"},
		{"no CDI device", func(n *node) { n.has = nil }, "v1.37.1", false, "CDI devices reported by the container runtime"},
		{"a part of them", func(n *node) { n.reported.List[0].CDIDevices = []string{"v/c=1", "v/c=0"} }, "v1.37.1", true, ""},
		{"of another claim", func(n *node) { n.has = []string{"v/c=9"} }, "v1.37.1", true, "CDI devices of claim claim"},
		{"a kubelet that tells nothing", func(n *node) { n.reported.List = nil }, "v1.35.0", false, ""},
		{"a driver that answers nothing", func(n *node) { n.reported.List, n.has = nil, nil }, "v1.37.1", false, ""},
		{"nothing for a part", func(n *node) { n.reported.List, n.has = nil, nil }, "v1.37.1", true, ""},
		{"nothing, with CDI devices", func(n *node) { n.reported.List = nil }, "v1.37.1", false, "CDI devices reported by the container runtime"},
		{"nothing for this claim", func(n *node) { n.reported.List[0].Claim, n.has = "other", nil }, "v1.35.0", false, ""},
		{"a part without CDI devices", func(n *node) { n.has = nil }, "v1.37.1", true, "whether the container runtime has CDI devices"},
		{"a part that needs none", func(n *node) { n.reported.List[0].CDIDevices, n.has = nil, nil }, "v1.37.1", true, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f, n, c := newVendorCase(t)
			tc.change(n)
			f.Env().Plan.Target.Nodes = []spec.Node{{Name: "worker", Kubelet: tc.kubelet}}
			failed := f.Fails(t, func() { f.driver.trace("pod", "main", c, pools.Allocated(c, vendor), tc.part) })
			switch {
			case failed == nil && tc.fails != "", failed != nil && (tc.fails == "" || !strings.Contains(failed.Text, tc.fails)):
				t.Errorf("%v, want %q", failed, tc.fails)
			}
		})
	}
}

// A driver without CDI devices, as of network interfaces, was never certified. One that returns devices must always.
func TestResponsesAreAllWithDevicesOrAllWithout(t *testing.T) {
	f, n, c := newVendorCase(t)
	f.Env().Plan.Target.Nodes = []spec.Node{{Name: "worker", Kubelet: "v1.37.1"}}
	trace := func() { f.driver.trace("pod", "main", c, pools.Allocated(c, vendor), false) }
	f.Succeeds(t, trace)
	n.reported.List, n.has = nil, nil
	if failed := f.Fails(t, trace); failed == nil || !strings.Contains(failed.Text, "for each claim or for none") {
		t.Errorf("got %+v", failed)
	}
}

func TestDevicesLookTheSameEverywhere(t *testing.T) {
	f, _, _ := newVendorCase(t)
	one := func(device string) []resourceapi.DeviceRequestAllocationResult {
		return []resourceapi.DeviceRequestAllocationResult{{Pool: "worker", Device: device}}
	}
	for _, tc := range []struct {
		devices []resourceapi.DeviceRequestAllocationResult
		lines   []string
		fails   bool
	}{
		{one("gpu-0"), []string{"serial 0"}, false},
		{one("gpu-0"), []string{"serial 0"}, false},
		{one("gpu-0"), []string{"serial 1"}, true},
		{one("gpu-1"), []string{"serial 0"}, true},
		{append(one("gpu-0"), one("gpu-2")...), []string{"serial 0", "serial 2"}, false},
		{append(one("gpu-0"), one("gpu-2")...), []string{"serial 2", "serial 3"}, true},
	} {
		if failed := f.Fails(t, func() { f.driver.compare("container main", tc.devices, tc.lines) }); (failed != nil) != tc.fails {
			t.Errorf("%v as %v: %v", tc.devices, tc.lines, failed)
		}
	}
}

func TestScriptShowsWhatCommandsSay(t *testing.T) {
	f, _, _ := newVendorCase(t)
	d := f.driver
	d.spec = spec.DriverUnderTest{Workload: spec.Workload{Present: []string{"test", "a'b"}, Absent: []string{"true"}, Identify: []string{"list"}}}
	if want := `if 'test' 'a'\''b'; then`; !strings.Contains(d.Script(), want) {
		t.Errorf("script has no %s:\n%s", want, d.Script())
	}
	got := readShown("a word\n-- devices\nb\n\na\nb\n-- end of devices\ndratest_present=yes\ndratest_absent=no\n-- end of environment\n")
	want := shown{present: true, devices: []string{"a", "b"}, log: "a word"}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(shown{})); d != "" {
		t.Error(d)
	}
}

func TestCheckpointsTellWhatIsPrepared(t *testing.T) {
	f, _, _ := newVendorCase(t)
	if done, seen, err := f.driver.unprepared(t.Context()); err != nil || !done {
		t.Errorf("%s, %v", seen, err)
	}
	f.Namespace = "dratest-other"
	if done, seen, err := f.driver.unprepared(t.Context()); err != nil || done || !strings.Contains(seen, "[worker]") {
		t.Errorf("%s, %v", seen, err)
	}
}

// TestUnseenCheckpointBlocks: an unreadable checkpoint is no released claim.
func TestUnseenCheckpointBlocks(t *testing.T) {
	f, n, _ := newVendorCase(t)
	n.unseen = true
	if failed := f.Fails(t, f.driver.AwaitUnprepared); failed == nil || !strings.Contains(failed.Blocked, "on node worker: read evidence of node worker: dra_manager_state: no such file") {
		t.Errorf("got %+v", failed)
	}
	f.SetBlocked("")
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if err := f.driver.awaitUnprepared(ctx); err == nil || f.blocked(t) == "" {
		t.Errorf("ends with %v, blocked is %q", err, f.blocked(t))
	}
	n.unseen = false
	f.Succeeds(t, f.driver.AwaitUnprepared)
	if blocked := f.blocked(t); blocked != "" {
		t.Errorf("what was read is still blocked: %s", blocked)
	}
}

// life/claim-deleted-without-driver ran out of time during a read, as it mostly does, and was
// blocked instead of failed.
func TestTimeThatIsOverWhileACheckpointIsReadDoesNotBlock(t *testing.T) {
	f, n, _ := newVendorCase(t)
	n.late, n.unseen = true, true
	if failed := f.Fails(t, f.driver.AwaitUnprepared); failed == nil || failed.Blocked != "" {
		t.Errorf("got %+v", failed)
	}
}
