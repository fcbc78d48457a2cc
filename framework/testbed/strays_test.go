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

package testbed

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/dra-conformance/dratest/drivers/sim/deploy"
	"github.com/dra-conformance/dratest/framework/agentapi"
)

// agents have the same drivers on each node, and record stopped ones.
type agents struct {
	agentapi.AgentClient
	names, stopped []string
}

func (a *agents) ListDrivers(context.Context, *agentapi.NodeRequest, ...grpc.CallOption) (*agentapi.Names, error) {
	return &agentapi.Names{Names: a.names}, nil
}

func (a *agents) StopDriver(_ context.Context, r *agentapi.DriverRequest, _ ...grpc.CallOption) (*emptypb.Empty, error) {
	a.stopped = append(a.stopped, r.Node+" "+r.Driver)
	return &emptypb.Empty{}, nil
}

// A pod waiting for a class was retried because of the slices of drivers of 17 failed cases, so a scheduler without
// hints for classes went unnoticed.
func TestStraysAreDriversOfCasesThatAreOver(t *testing.T) {
	a := &agents{names: []string{
		"class-appears-b2c4d.dra-conformance.github.io", "first-available-zb967.dra-conformance.github.io", "standalone.dra-conformance.github.io", "gpu.example.com",
	}}
	if err := stopStrays(t.Context(), a, []string{"n1", "n2"}, sets.New("default", "dratest-b2c4d")); err != nil {
		t.Fatal(err)
	}
	want := []string{"n1 first-available-zb967.dra-conformance.github.io", "n2 first-available-zb967.dra-conformance.github.io"}
	if d := cmp.Diff(want, a.stopped); d != "" {
		t.Error(d)
	}
}

// A testbed has no nodes before cases are planned: none was queried at first.
func TestNodesWithAgents(t *testing.T) {
	pod := func(name, namespace, node string, phase corev1.PodPhase) *corev1.Pod {
		return &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace, Labels: map[string]string{deploy.LabelName: deploy.Name}},
			Spec:       corev1.PodSpec{NodeName: node}, Status: corev1.PodStatus{Phase: phase},
		}
	}
	client := fake.NewClientset(
		pod("a", deploy.Namespace, "n1", corev1.PodRunning), pod("b", deploy.Namespace, "n2", corev1.PodPending), pod("c", "default", "n3", corev1.PodRunning),
	)
	got, err := agentNodes(t.Context(), client)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"n1"}, got); d != "" {
		t.Error(d)
	}
}
