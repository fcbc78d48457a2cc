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

package kubelets

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
)

func node(name, address, version string, change func(*corev1.NodeStatus)) *corev1.Node {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}, Status: corev1.NodeStatus{
		Addresses:  []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: address}, {Type: corev1.NodeHostName, Address: name}},
		Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "KubeletReady", LastHeartbeatTime: metav1.Now()}},
		NodeInfo:   corev1.NodeSystemInfo{MachineID: name, BootID: name, SystemUUID: name, KubeletVersion: version},
	}}
	if change != nil {
		change(&n.Status)
	}
	return n
}

func TestStatus(t *testing.T) {
	for _, row := range []struct {
		name   string
		change func(*corev1.NodeStatus)
		want   string // path of the difference
	}{
		{"same", nil, ""},
		{"condition", func(s *corev1.NodeStatus) { s.Conditions[0].Reason = "Other" }, "status.conditions[0].reason"},
		{"version", func(s *corev1.NodeStatus) { s.NodeInfo.KubeletVersion = "v1.2.4+dratest" }, "status.nodeInfo.kubeletVersion"},
		{"port", func(s *corev1.NodeStatus) { s.DaemonEndpoints.KubeletEndpoint.Port = 1 }, "status.daemonEndpoints.kubeletEndpoint.Port"},
		{"feature", func(s *corev1.NodeStatus) { s.DeclaredFeatures = []string{"A"} }, "status.declaredFeatures[0]"},
	} {
		t.Run(row.name, func(t *testing.T) {
			api := fake.NewClientset(node("n", "10.0.0.1", "v1.2.3", nil), node("n2", "10.0.0.10", "v1.2.3+dratest", row.change))
			pair, err := newPair(t.Context(), api, "n", "n2")
			if err != nil {
				t.Fatal(err)
			}
			stock, err := pair.stock.status(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			own, err := pair.own.status(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, line := range differences(stock, own, "m") {
				place, _, _ := strings.Cut(line, ": ")
				got = append(got, place)
			}
			if diff := cmp.Diff(row.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("want -, got +:\n%s", diff)
			}
		})
	}
}

// Two kubelets of the same kind would always be equivalent.
func TestNodesOfTheWrongKindAreRefused(t *testing.T) {
	api := fake.NewClientset(node("stock", "10.0.0.1", "v1.2.3", nil), node("own", "10.0.0.2", "v1.2.3+dratest", nil))
	for _, nodes := range [][2]string{{"stock", "stock"}, {"own", "own"}, {"own", "stock"}} {
		if _, err := newPair(t.Context(), api, nodes[0], nodes[1]); err == nil {
			t.Errorf("no error for %v", nodes)
		}
	}
}
