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

package binding

import (
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// SeveralDevices has a pod with two claims and three devices, with different conditions and none.
var SeveralDevices = harness.Case{Meta: spec.Meta{
	ID:       "binding/several-devices",
	Checks:   "A pod is bound only when each of its devices meets its own binding conditions.",
	Requires: []spec.RequirementID{"kep-5007/waits-for-conditions", "kep-5007/conditions-copied", "kep-5007/any-condition"},
	Needs:    spec.Needs{NoKubelet: true, Features: features()},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Publish("pool", t.Nodes[0], conditional("a", profiles.Attached), conditional("b", profiles.Configured), resourceapi.Device{Name: "c"})
	two := objects.Request("req", class)
	two.Exactly.Count = 2
	t.Create(objects.Claim("first", two), objects.Claim("second", objects.Request("req", class)), objects.Pod("pod", t.Image, "first", "second"))
	t.WaitEvent("pod", "BindingConditionsPending", "")
	t.Expect(t.WaitAllocated("first")).To(matchers.HaveDevices("a", "b"), "devices of the first claim")
	t.Expect(t.WaitAllocated("second")).To(matchers.HaveDevices("c"), "device of the second claim")

	set(t, "first", "a", profiles.Attached, profiles.Configured)
	set(t, "first", "b", profiles.Attached)
	// Later pods are bound while this one waits.
	t.Publish("other", t.Nodes[0], conditional("d", profiles.Attached))
	t.Create(objects.Claim("other", objects.Request("req", class)), objects.Pod("other", t.Image, "other"))
	t.WaitEvent("other", "BindingConditionsPending", "")
	ready(t, "other", "other")
	pod := t.PodNow("pod")
	t.Expect(pod.Spec.NodeName).To(gomega.BeEmpty(), "node of the pod with one device not ready")
	ready(t, "pod", "first", "second")
}}
