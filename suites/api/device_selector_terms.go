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

package api

import (
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/issues"
	"github.com/dra-conformance/dratest/framework/spec"
)

// DeviceSelectorTerms writes a device's node selector with two terms, invalid for slices, too.
var DeviceSelectorTerms = harness.Case{Meta: spec.Meta{
	ID:         "api/device-selector-terms",
	Checks:     "A device's node selector with two terms is rejected; one with one term is accepted.",
	Requires:   []spec.RequirementID{"kep-4815/device-node-selector-one-term"},
	Needs:      spec.Needs{NoNode: true, Features: []spec.Feature{spec.PartitionableDevices}},
	KnownIssue: issues.Known("kubernetes#141212"),
}, Run: func(t *harness.T) {
	terms := func(n int) func(*resourceapi.ResourceSlice) {
		return func(s *resourceapi.ResourceSlice) {
			s.Spec.AllNodes, s.Spec.PerDeviceNodeSelection = nil, ptr.To(true)
			s.Spec.Devices[0].NodeSelector = &corev1.NodeSelector{NodeSelectorTerms: numbered(n, nodeTerm)}
		}
	}
	judgeKnown(t, validSlice, createSlice(t), rule[*resourceapi.ResourceSlice]{
		"a device's selector with two terms", terms(1), terms(2), "spec.devices[0].nodeSelector.nodeSelectorTerms", "",
	})
}}
