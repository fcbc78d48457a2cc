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

package node

import (
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// SkippedOperations uses devices of drivers absent from the node. A device skipping only unprepare
// is prepared, but not unprepared.
var SkippedOperations = harness.Case{Meta: spec.Meta{
	ID:       "node/skipped-operations",
	Checks:   "The kubelet skips the node operations excluded by a device's allocation, even without its driver.",
	Requires: []spec.RequirementID{"kep-5945/operation-skipped"},
	Needs:    spec.Needs{Features: []spec.Feature{spec.OptionalOperations}, Profile: profiles.Empty()},
}, Run: func(t *harness.T) {
	publish := func(driver, name string, skip resourceapi.SkipNodeOperation) *corev1.Pod {
		slice := objects.NetworkSlice(t.Namespace+"-"+name, driver, t.Namespace+"-"+name, resourceapi.Device{Name: name})
		slice.Spec.AllNodes, slice.Spec.NodeName = nil, &t.Nodes[0]
		slice.Spec.SkipNodeOperations = []resourceapi.SkipNodeOperation{skip}
		class := objects.Class(name+"."+t.Namespace, driver)
		class.Spec.Selectors = []resourceapi.DeviceSelector{objects.Selector(`device.driver == "` + driver + `"`)}
		t.Create(slice, class, objects.Claim(name, objects.Request("req", class.Name)))
		return objects.Pod(name, t.Image, name)
	}
	t.RunPod(publish("absent."+t.DriverName(), "absent", resourceapi.SkipNodeOperationAll))
	t.RemovePod("absent")
	t.WaitDeallocated("absent")

	t.RunPod(publish(t.DriverName(), "here", resourceapi.SkipNodeOperationNodeUnprepareResources))
	simdriver.Of(t).ExpectCalls(spec.Prepare, "here", 1, "")
	t.RemovePod("here")
	t.WaitDeallocated("here")
	simdriver.Of(t).ExpectCalls(spec.Unprepare, "here", 0, "")
	simdriver.Of(t).LoseCDI() // no unprepare call removes these files
}}
