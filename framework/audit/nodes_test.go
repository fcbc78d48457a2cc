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

package audit_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/dra-conformance/dratest/framework/audit"
)

func TestNodeSelectors(t *testing.T) {
	zone := func(operator corev1.NodeSelectorOperator, values ...string) []corev1.NodeSelectorRequirement {
		return []corev1.NodeSelectorRequirement{{Key: "zone", Operator: operator, Values: values}}
	}
	for _, tc := range []struct {
		name  string
		terms []corev1.NodeSelectorTerm
		want  bool
	}{
		{"in", []corev1.NodeSelectorTerm{{MatchExpressions: zone("In", "zone-n", "x")}}, true},
		{"not in", []corev1.NodeSelectorTerm{{MatchExpressions: zone("NotIn", "zone-n")}}, false},
		{"exists", []corev1.NodeSelectorTerm{{MatchExpressions: zone("Exists")}}, true},
		{"does not exist", []corev1.NodeSelectorTerm{{MatchExpressions: zone("DoesNotExist")}}, false},
		{"any term", []corev1.NodeSelectorTerm{{MatchExpressions: zone("In", "x")}, {MatchExpressions: zone("Exists")}}, true},
		{"empty term", []corev1.NodeSelectorTerm{{}}, false},
		{"unknown operator", []corev1.NodeSelectorTerm{{MatchExpressions: zone("Like", "zone-n")}}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := goodWorld()
			w.Claims[0].Status.Allocation.NodeSelector.NodeSelectorTerms = tc.terms
			if found := audit.Pods(w); (len(found) == 0) != tc.want {
				t.Errorf("found %s", lines(found))
			}
		})
	}
}
