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

package oracle

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	"github.com/dra-conformance/dratest/framework/problem"
)

// answer is yes, no, or open if the API does not define it.
type answer int8

const (
	no answer = iota
	open
	yes
)

func certainly(b bool) answer {
	if b {
		return yes
	}
	return no
}

// selects reports whether a node selector of a slice or device matches a node. The answer is open
// for an invalid selector.
func selects(s *corev1.NodeSelector, node *problem.Node) answer {
	if len(s.NodeSelectorTerms) != 1 {
		return open
	}
	return termMatches(&s.NodeSelectorTerms[0], node)
}

// available reports whether an allocation's node selector matches a node.
func available(s *corev1.NodeSelector, node *problem.Node) bool {
	if s == nil {
		return true
	}
	for i := range s.NodeSelectorTerms {
		if termMatches(&s.NodeSelectorTerms[i], node) == yes {
			return true
		}
	}
	return false
}

// termMatches follows core/v1 NodeSelectorTerm: requirements are ANDed, an empty term matches
// nothing.
func termMatches(t *corev1.NodeSelectorTerm, node *problem.Node) answer {
	result := certainly(len(t.MatchExpressions)+len(t.MatchFields) > 0)
	for _, set := range []struct {
		requirements []corev1.NodeSelectorRequirement
		values       labels.Set
	}{{t.MatchExpressions, node.Labels}, {t.MatchFields, labels.Set{"metadata.name": node.Name}}} {
		for _, r := range set.requirements {
			op, ok := operators[r.Operator]
			if !ok {
				return open
			}
			requirement, err := labels.NewRequirement(r.Key, op, r.Values)
			if err != nil {
				return open
			}
			if !requirement.Matches(set.values) {
				result = no
			}
		}
	}
	return result
}

var operators = map[corev1.NodeSelectorOperator]selection.Operator{ //nolint:gochecknoglobals // a table
	corev1.NodeSelectorOpIn:           selection.In,
	corev1.NodeSelectorOpNotIn:        selection.NotIn,
	corev1.NodeSelectorOpExists:       selection.Exists,
	corev1.NodeSelectorOpDoesNotExist: selection.DoesNotExist,
	corev1.NodeSelectorOpGt:           selection.GreaterThan,
	corev1.NodeSelectorOpLt:           selection.LessThan,
}
