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

package clusters_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/dra-conformance/dratest/clusters"
)

func TestNotReady(t *testing.T) {
	for _, row := range []struct {
		name, want string
		condition  corev1.NodeCondition
		taint      string
	}{
		{"ready", "", corev1.NodeCondition{Type: corev1.NodeReady, Status: corev1.ConditionTrue}, "dedicated"},
		{"no network", "no network", corev1.NodeCondition{Type: corev1.NodeReady, Status: corev1.ConditionFalse, Reason: "Why", Message: "no network"}, ""},
		{"reason only", "Why", corev1.NodeCondition{Type: corev1.NodeReady, Status: corev1.ConditionFalse, Reason: "Why"}, ""},
		{"nothing said", "condition Ready is Unknown", corev1.NodeCondition{Type: corev1.NodeReady, Status: corev1.ConditionUnknown}, ""},
		{"taint that stayed", "taint " + corev1.TaintNodeNotReady, corev1.NodeCondition{Type: corev1.NodeReady, Status: corev1.ConditionTrue}, corev1.TaintNodeNotReady},
	} {
		t.Run(row.name, func(t *testing.T) {
			node := &corev1.Node{Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{row.condition}}}
			node.Spec.Taints = []corev1.Taint{{Key: row.taint}}
			if got := clusters.NotReady(node); got != row.want {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}
