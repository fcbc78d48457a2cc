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

package allocation

import (
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/harness/scheduler"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ClassChanges changes and replaces a class with devices in use.
var ClassChanges = harness.Case{Meta: spec.Meta{
	ID:       "allocation/class-changes",
	Checks:   "An allocated claim is unaffected by changes of its class; later allocations follow the class as it is then.",
	Requires: []spec.RequirementID{"kep-4381/class-changes-later-allocations-only", "kep-4381/allocation-tells-all", "kep-4381/missing-class-named"},
	Needs:    spec.Needs{NoKubelet: true},
}, Run: func(t *harness.T) {
	parameters := func(version string) []resourceapi.DeviceClassConfiguration {
		return []resourceapi.DeviceClassConfiguration{objects.ClassParameters(t.DriverName(), map[string]string{"version": version})}
	}
	class := t.CreateClass(func(c *resourceapi.DeviceClass) { c.Spec.Config = parameters("old") })
	t.Publish("pool", t.Nodes[0], profiles.Device(0, "a", "8Gi"), profiles.Device(1, "a", "8Gi"), profiles.Device(2, "b", "8Gi"))
	before := use(t, objects.Claim("before", objects.Request("req", class)))
	t.Expect(before).To(matchers.HaveDevices("device-0"), "device of the first class")

	edit.Class(t, class, func(c *resourceapi.DeviceClass) {
		c.Spec.Config = parameters("new")
		// Other drivers' devices have no model, so the class still excludes them.
		c.Spec.Selectors = append(c.Spec.Selectors, objects.Selector(t.Attribute(profiles.Model)+" == 'b'"))
	})
	scheduler.AwaitSeen(t)
	after := use(t, objects.Claim("after", objects.Request("req", class)))
	t.Expect(after).To(matchers.HaveDevices("device-2"), "device of the changed class")
	t.Expect(configurations(after)).To(gomega.ConsistOf(gomega.ContainSubstring(`{"version":"new"}`)), "configuration of the changed class")

	t.Delete(&resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: class}})
	scheduler.AwaitSeen(t) // a pod pending for other reasons is not retried on deletion of a class
	t.Create(objects.Claim("without", objects.Request("req", class)), objects.Pod("without", t.Image, "without"))
	t.WaitUnschedulable("without", class)
	t.Expect(t.Claim("before").Status.Allocation).To(gomega.Equal(before.Status.Allocation), "allocation from the first class, changed and deleted since")
	t.Create(objects.Pod("second", t.Image, "before"))
	t.WaitScheduled("second")
}}
