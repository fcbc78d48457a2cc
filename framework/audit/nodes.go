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

package audit

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
)

// reaches reports whether a device is usable on a node.
func (p place) reaches(node *corev1.Node) bool {
	return (p.node == "" || p.node == node.Name) && selects(p.selector, node)
}

// selects reports whether one of the selector's terms matches the node; no selector matches all. An unsupported or
// empty term matches nothing.
func selects(selector *corev1.NodeSelector, node *corev1.Node) bool {
	return selector == nil || slices.ContainsFunc(selector.NodeSelectorTerms, func(t corev1.NodeSelectorTerm) bool {
		return len(t.MatchExpressions)+len(t.MatchFields) > 0 &&
			matches(t.MatchExpressions, labels.Set(node.Labels)) &&
			matches(t.MatchFields, labels.Set(fields.Set{metav1.ObjectNameField: node.Name}))
	})
}

func matches(requirements []corev1.NodeSelectorRequirement, values labels.Set) bool {
	for _, r := range requirements {
		operator, known := operators()[r.Operator]
		parsed, err := labels.NewRequirement(r.Key, operator, r.Values)
		if !known || err != nil || !parsed.Matches(values) {
			return false
		}
	}
	return true
}

func operators() map[corev1.NodeSelectorOperator]selection.Operator {
	return map[corev1.NodeSelectorOperator]selection.Operator{
		corev1.NodeSelectorOpIn: selection.In, corev1.NodeSelectorOpNotIn: selection.NotIn,
		corev1.NodeSelectorOpExists: selection.Exists, corev1.NodeSelectorOpDoesNotExist: selection.DoesNotExist,
		corev1.NodeSelectorOpGt: selection.GreaterThan, corev1.NodeSelectorOpLt: selection.LessThan,
	}
}
