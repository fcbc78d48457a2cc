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

// selection says which nodes a slice or a device can be reached from, parsed once.
// The zero value selects no node.
type selection struct {
	nodeName string
	allNodes bool
	selector *nodeaffinity.NodeSelector
	err      error
}

// newSelection takes the first of the three that is set, as Kubernetes does. A
// selector that is not looked at is not parsed: it cannot be wrong then.
func newSelection(nodeName *string, allNodes *bool, selector *corev1.NodeSelector) selection {
	s := selection{nodeName: ptr.Deref(nodeName, ""), allNodes: ptr.Deref(allNodes, false)}
	if s.nodeName == "" && !s.allNodes && selector != nil {
		s.selector, s.err = nodeaffinity.NewNodeSelector(selector)
	}
	return s
}

// known says whether the selection uses anything that this version understands.
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
