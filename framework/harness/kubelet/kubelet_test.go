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

package kubelet

import (
	"context"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/harnesstest"
	"github.com/dra-conformance/dratest/framework/spec"
)

// agents are those of nodes with a checkpoint, or with none.
type agents struct {
	agentapi.AgentClient

	files map[string][]byte
}

func (a *agents) GetEvidence(context.Context, *agentapi.EvidenceRequest, ...grpc.CallOption) (*agentapi.Evidence, error) {
	return &agentapi.Evidence{Files: a.files}, nil
}

func (*agents) ListCDIDevices(_ context.Context, r *agentapi.ContainerRequest, _ ...grpc.CallOption) (*agentapi.Names, error) {
	return &agentapi.Names{Names: []string{r.Node + " " + r.Container}}, nil
}

func TestPrepared(t *testing.T) {
	a := &agents{files: map[string][]byte{agentapi.Checkpoint: []byte(`{"Data":"{\"ClaimInfoStateList\":[{\"ClaimUID\":\"1\"}]}"}`)}}
	f := harnesstest.New(t, spec.Meta{}, &harness.Env{Agents: a})
	f.Succeeds(t, func() {
		if got := Prepared(f.T, "node"); !slices.Equal(got, []types.UID{"1"}) {
			t.Errorf("got %q", got)
		}
	})
	a.files = nil
	if failed := f.Fails(t, func() { Prepared(f.T, "node") }); failed == nil || !strings.Contains(failed.Text, "checkpoint on node") {
		t.Errorf("without one: %+v", failed)
	}
}

func TestCDIDevicesAreThoseOfTheContainer(t *testing.T) {
	f := harnesstest.New(t, spec.Meta{}, &harness.Env{Agents: &agents{}})
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "pod"}, Spec: corev1.PodSpec{NodeName: "node"}}
	pod.Status.InitContainerStatuses = []corev1.ContainerStatus{{Name: "init", ContainerID: "containerd://1"}}
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "main", ContainerID: "containerd://2"}, {Name: "waits"}}
	f.Succeeds(t, func() {
		if got := CDIDevices(f.T, pod, "main"); !slices.Equal(got, []string{"node containerd://2"}) {
			t.Errorf("got %q", got)
		}
	})
	if failed := f.Fails(t, func() { CDIDevices(f.T, pod, "waits") }); failed == nil || !strings.Contains(failed.Text, "container waits of pod pod has no ID") {
		t.Errorf("a container that has not started: %+v", failed)
	}
}

// A kubelet that has lost its checkpoint may never unprepare the claims of other cases.
func TestCheckpointOfOthersIsKept(t *testing.T) {
	other := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "pod", Namespace: "other"}}
	other.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "claim"}}
	f := harnesstest.New(t, spec.Meta{}, &harness.Env{Agents: &agents{}}, other)
	failed := f.Fails(t, func() { LoseCheckpoint(f.T, "node") })
	if failed == nil || failed.Blocked == "" || !strings.Contains(failed.Text, "pod other/pod on node has claims") {
		t.Errorf("%+v", failed)
	}
}
