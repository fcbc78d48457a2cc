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

package inventory

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/utils/ptr"
)

// selection is a parsed node selection of a slice or device. The zero value selects no node.
type selection struct {
	nodeName string
	allNodes bool
	selector *nodeaffinity.NodeSelector
	err      error
}

// newSelection uses the first of the three fields, like Kubernetes. It does not parse an unused
// selector, so that cannot be invalid.
func newSelection(nodeName *string, allNodes *bool, selector *corev1.NodeSelector) selection {
	s := selection{nodeName: ptr.Deref(nodeName, ""), allNodes: ptr.Deref(allNodes, false)}
	if s.nodeName == "" && !s.allNodes && selector != nil {
		s.selector, s.err = nodeaffinity.NewNodeSelector(selector)
	}
	return s
}

// known reports whether the selection sets any field known to this version.
func (s *selection) known() bool {
	return s.nodeName != "" || s.allNodes || s.selector != nil || s.err != nil
}

func (s *selection) matches(node *corev1.Node) (bool, error) {
	switch {
	case s.nodeName != "":
		return s.nodeName == node.Name, nil
	case s.allNodes:
		return true, nil
	case s.err != nil:
		return false, s.err
	case s.selector != nil:
		return s.selector.Match(node), nil
	default:
		return false, nil
	}
}
