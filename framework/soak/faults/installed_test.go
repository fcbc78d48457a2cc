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

package faults

import (
	"context"
	"errors"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	kubetesting "k8s.io/client-go/testing"

	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/soak"
	"github.com/dra-conformance/dratest/framework/spec"
)

// killer is the agents' client.
type killer struct {
	agentapi.AgentClient

	killed string
	err    error
}

func (k *killer) KillPlugin(_ context.Context, r *agentapi.DriverRequest, _ ...grpc.CallOption) (*emptypb.Empty, error) {
	k.killed = r.Driver + " on " + r.Node
	return &emptypb.Empty{}, k.err
}

func driverPod(name string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "gpu", Name: name, UID: types.UID(name), Labels: map[string]string{"app": "gpu"}}, Spec: corev1.PodSpec{NodeName: "n"},
		Status: corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}},
	}
}

// A killed driver gets a new pod: the kubelet waits longer before each restart of a container.
func TestKillDriver(t *testing.T) {
	client := fake.NewClientset(driverPod("old"))
	client.PrependReactor("delete", "pods", func(a kubetesting.Action) (bool, runtime.Object, error) {
		return false, nil, client.Tracker().Create(a.GetResource(), driverPod("new"), "gpu")
	})
	agents, moments := &killer{}, ""
	target := soak.Target{
		Client: client, Driver: "gpu.example.com", Agents: agents, Found: spec.DriverUnderTest{Namespace: "gpu", Selector: "app=gpu"},
		Pick: func() string { return "n" }, Happened: func(component, node string) { moments += component + " on " + node },
	}
	if err := (KillDriver{}).Do(t.Context(), target); err != nil {
		t.Fatal(err)
	}
	pods, err := client.CoreV1().Pods("gpu").List(t.Context(), metav1.ListOptions{})
	if err != nil || len(pods.Items) != 1 || pods.Items[0].Name != "new" || agents.killed != "gpu.example.com on n" || moments != "driver on n" {
		t.Errorf("%v: pods %v, killed %q, happened %q", err, pods.Items, agents.killed, moments)
	}
	agents.err = errors.New("it has not registered")
	if err := (KillDriver{}).Do(t.Context(), target); err == nil || !strings.Contains(err.Error(), "kill the driver on node n: it has not registered") {
		t.Errorf("got %v", err)
	}
}

func TestKillsOfInstalledDrivers(t *testing.T) {
	for _, component := range OfInstalled() {
		if got := KillingInstalled(component, nil).Name(); got != "kill "+component {
			t.Errorf("%s: got %q", component, got)
		}
	}
}
