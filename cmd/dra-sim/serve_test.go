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

package main

import (
	"errors"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
)

// After a node restart, the agent exited three times, and its driver was unavailable for half a
// minute.
func TestAgentWaitsForServices(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := fake.NewClientset(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node"}})
		calls, away := 0, 4
		client.PrependReactor("get", "nodes", func(clienttesting.Action) (bool, runtime.Object, error) {
			calls++
			return calls <= away, nil, errors.New("connect: connection refused")
		})
		if node, err := getNode(t.Context(), client, "node"); err != nil || node.Name != "node" {
			t.Errorf("after %d calls: %v", calls, err)
		}
		away = 1 << 20
		if _, err := getNode(t.Context(), client, "node"); err == nil || !strings.Contains(err.Error(), `get node "node": connect: connection refused`) {
			t.Errorf("got %v", err)
		}
	})
}

// Anyone who reaches an agent controls its node.
func TestRequestsComeFromThePodOnly(t *testing.T) {
	address, err := netip.ParseAddrPort(listenAddress())
	if err != nil || !address.Addr().IsLoopback() {
		t.Errorf("the agent listens on %s: %v", address, err)
	}
}
