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

package harness

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/pools"
	"github.com/dra-conformance/dratest/framework/spec"
)

const vendor = "gpu.example.com"

// node is one whose kubelet and container runtime tell what they are told to.
type node struct {
	agents

	told   spec.PodResources
	has    []string
	unseen bool
}

func (n *node) GetPodResources(context.Context, *agentapi.PodRequest, ...grpc.CallOption) (*agentapi.JSON, error) {
	return &agentapi.JSON{Json: agentapi.Encode(n.told)}, nil
}

func (n *node) ListCDIDevices(context.Context, *agentapi.ContainerRequest, ...grpc.CallOption) (*agentapi.Names, error) {
	return &agentapi.Names{Names: n.has}, nil
}

func (n *node) GetEvidence(context.Context, *agentapi.EvidenceRequest, ...grpc.CallOption) (*agentapi.Evidence, error) {
	if n.unseen {
		return &agentapi.Evidence{Files: map[string][]byte{"sockets": nil}, Missing: []string{"dra_manager_state: no such file"}}, nil
	}
	return &agentapi.Evidence{Files: map[string][]byte{checkpoint: []byte(`{"Data":"{\"Namespace\":\"dratest-other\"}"}`)}}, nil
}

// newVendor is a driver in use by pod "pod" with a claim for one device, all of which is
// as it should be.
func newVendor(t *testing.T) (*found, *node, *resourceapi.ResourceClaim) {
	t.Helper()
	f := newFake(t, pod(func(p *corev1.Pod) {
		p.Spec.NodeName = "worker"
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "main", ContainerID: "containerd://1"}}
	}))
	n := &node{told: spec.PodResources{List: []spec.ContainerDevice{{Container: "main", Claim: "claim", Pool: "worker", Device: "gpu-0", CDIDevices: []string{"v/c=0"}}}}, has: []string{"v/c=0"}}
	s := spec.Subject{Driver: vendor, SubjectClass: spec.SubjectClass{Class: "gpu", Selectors: []string{"true"}, Nodes: []string{"worker"}}, Workload: spec.Workload{Identify: []string{"list"}}}
	f.env.Agents, f.env.Plan.Target.Subject = n, &s
	c := claim(func(c *resourceapi.ResourceClaim) {
		c.Status.Allocation = &resourceapi.AllocationResult{}
		c.Status.Allocation.Devices.Results = []resourceapi.DeviceRequestAllocationResult{
			{Request: "req", Driver: vendor, Pool: "worker", Device: "gpu-0"}, {Request: "net", Driver: "nic.example.com", Pool: "worker", Device: "nic-0"},
		}
	})
	f.Driver = f.newDriver(true)
	return f.Driver.(*found), n, c
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
		{"another device", func(n *node) { n.told.List[0].Device = "gpu-1" }, "v1.37.1", false, "what the driver answered, and what is allocated"},
		{"one more CDI device", func(n *node) { n.has = append(n.has, "v/c=1") }, "v1.37.1", false, "CDI devices that the container runtime has"},
		{"no CDI device", func(n *node) { n.has = nil }, "v1.37.1", false, "CDI devices that the container runtime has"},
		{"a part of them", func(n *node) { n.told.List[0].CDIDevices = []string{"v/c=1", "v/c=0"} }, "v1.37.1", true, ""},
		{"of another claim", func(n *node) { n.has = []string{"v/c=9"} }, "v1.37.1", true, "CDI devices of claim claim"},
		{"a kubelet that tells nothing", func(n *node) { n.told.List = nil }, "v1.35.0", false, ""},
		{"a driver that answers nothing", func(n *node) { n.told.List, n.has = nil, nil }, "v1.37.1", false, "what the driver answered"},
		{"nothing for a part", func(n *node) { n.told.List, n.has = nil, nil }, "v1.37.1", true, "what the driver answered"},
		{"nothing for this claim", func(n *node) { n.told.List[0].Claim, n.has = "other", nil }, "v1.35.0", false, "what the driver answered"},
		{"a part without CDI devices", func(n *node) { n.has = nil }, "v1.37.1", true, "whether the container runtime has CDI devices"},
		{"a part that needs none", func(n *node) { n.told.List[0].CDIDevices, n.has = nil, nil }, "v1.37.1", true, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f, n, c := newVendor(t)
			tc.change(n)
			f.t.env.Plan.Target.Nodes = []spec.Node{{Name: "worker", Kubelet: tc.kubelet}}
			failed := failureOf(func() { f.trace("pod", "main", c, pools.Allocated(c, vendor), tc.part) })
			switch {
			case failed == nil && tc.fails != "", failed != nil && (tc.fails == "" || !strings.Contains(failed.message, tc.fails)):
				t.Errorf("%v, want %q", failed, tc.fails)
			}
		})
	}
}

func TestDevicesLookTheSameEverywhere(t *testing.T) {
	f, _, _ := newVendor(t)
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
		if failed := failureOf(func() { f.compare("container main", tc.devices, tc.lines) }); (failed != nil) != tc.fails {
			t.Errorf("%v as %v: %v", tc.devices, tc.lines, failed)
		}
	}
}

func TestScriptShowsWhatCommandsSay(t *testing.T) {
	f := &found{subject: spec.Subject{Workload: spec.Workload{Present: []string{"test", "a'b"}, Absent: []string{"true"}, Identify: []string{"list"}}}}
	if want := `if 'test' 'a'\''b'; then`; !strings.Contains(f.Script(), want) {
		t.Errorf("script has no %s:\n%s", want, f.Script())
	}
	got := readShown("a word\n-- devices\nb\n\na\nb\n-- end of devices\ndratest_present=yes\ndratest_absent=no\n-- end of environment\n")
	want := shown{present: true, devices: []string{"a", "b"}, log: "a word"}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(shown{})); d != "" {
		t.Error(d)
	}
}

func TestCheckpointsTellWhatIsPrepared(t *testing.T) {
	f, _, _ := newVendor(t)
	if left, err := f.t.inCheckpoints(t.Context()); err != nil || len(left) > 0 {
		t.Errorf("in checkpoints: %v, %v", left, err)
	}
	f.t.Namespace = "dratest-other"
	if left, _ := f.t.inCheckpoints(t.Context()); len(left) != 1 {
		t.Errorf("in checkpoints: %v", left)
	}
}

// TestUnseenCheckpointBlocks: what cannot be read is not what is released.
func TestUnseenCheckpointBlocks(t *testing.T) {
	f, n, _ := newVendor(t)
	n.unseen = true
	if failureOf(f.AwaitUnprepared) == nil || !strings.Contains(f.t.blocked, "on node worker: read evidence of node worker: dra_manager_state: no such file") {
		t.Errorf("blocked is %q", f.t.blocked)
	}
	f.t.blocked = ""
	if err := f.t.awaitUnprepared(f.t.ctx); err == nil || f.t.blocked == "" {
		t.Errorf("ends with %v, blocked is %q", err, f.t.blocked)
	}
	n.unseen = false
	succeeds(t, f.t, f.AwaitUnprepared)
	if f.t.blocked != "" {
		t.Errorf("what was read is still blocked: %s", f.t.blocked)
	}
}

// life/claim-deleted-without-driver ran out of time while it read, as it does mostly, and was
// blocked in place of failed.
func TestTimeThatIsOverWhileACheckpointIsReadDoesNotBlock(t *testing.T) {
	f, n, _ := newVendor(t)
	over, end := context.WithCancel(t.Context())
	end()
	f.t.ctx, n.unseen = over, true
	if failureOf(f.AwaitUnprepared) == nil || f.t.blocked != "" {
		t.Errorf("blocked is %q", f.t.blocked)
	}
}

func TestPodWithoutAFreeDeviceIsNotTheDriversFault(t *testing.T) {
	for node, blocked := range map[string]bool{"": true, "worker": false} {
		f := newFake(t, pod(func(p *corev1.Pod) { p.Spec.NodeName = node }))
		f.env.Plan.Target.Subject = &spec.Subject{Driver: vendor}
		if failureOf(func() { f.WaitRunning("pod") }) == nil || (f.blocked != "") != blocked {
			t.Errorf("on node %q: blocked is %q", node, f.blocked)
		}
	}
}
