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

package extended

import (
	"context"
	"fmt"
	"time"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// NewestClass has several classes with one extended resource. Pods requested before and after
// creation of a class run.
var NewestClass = harness.Case{Meta: spec.Meta{
	ID:       "extended/newest-class",
	Checks:   "The most recently created class serves a shared extended resource name; ties are resolved by class name.",
	Requires: []spec.RequirementID{"kep-5004/newest-class-wins", "kep-5004/class-can-be-replaced", "kep-5004/request-of-matching-class"},
	Needs:    spec.Needs{Features: []spec.Feature{spec.ExtendedResource}, Profile: profiles.FourDevices()},
	Catches:  []spec.MutantID{"driver-prepare-other-device"},
}, Run: func(t *harness.T) {
	resource := t.DriverName() + "/device"
	older := addClass(t, ".a", resource)
	expectClass(t, "first", resource, older.Name)

	t.Poll("the next second", func(context.Context) (bool, string, error) {
		age := time.Since(older.CreationTimestamp.Time) // without fractions of a second
		return age > time.Second, fmt.Sprintf("class %s is %s old", older.Name, age), nil
	})
	newer := addClass(t, ".b", resource)
	expectClass(t, "second", resource, newer.Name)

	same, first := twins(t)
	expectClass(t, "third", same, first.Name)
}}

// twins creates two classes with one extended resource in the same second. It returns the resource
// and the first class by name, created last.
func twins(t *harness.T) (resource string, first *resourceapi.DeviceClass) {
	const tries = 20 // each with its own resource, as kube-scheduler forgets the resources of deleted classes
	for n := range tries {
		resource = fmt.Sprintf("%s/same-%d", t.DriverName(), n)
		second := addClass(t, fmt.Sprintf(".d%d", n), resource)
		first = addClass(t, fmt.Sprintf(".c%d", n), resource)
		if first.CreationTimestamp.Equal(&second.CreationTimestamp) {
			return resource, first
		}
	}
	t.Fatalf("no two classes were created in the same second in %d tries", tries)
	return "", nil
}

// NameMoves changes a class's extended resource name. Without a class the resource is left to
// device plugins, and a pod requesting it waits. A running pod is not affected.
var NameMoves = harness.Case{Meta: spec.Meta{
	ID:       "extended/name-moves",
	Checks:   "DRA serves an extended resource from the moment a class names it until the class changes its name.",
	Requires: []spec.RequirementID{"kep-5004/before-class-only-device-plugin"},
	Needs:    spec.Needs{Features: []spec.Feature{spec.ExtendedResource}, Profile: profiles.FourDevices()},
	Catches:  []spec.MutantID{"driver-prepare-other-device"},
}, Run: func(t *harness.T) {
	resource, renamed := t.DriverName()+"/device", t.DriverName()+"/renamed"
	t.Create(objects.PodWanting("early", t.Image, map[string]int64{resource: 1}))
	t.WaitUnschedulable("early", "Insufficient "+resource)
	class := addClass(t, ".a", resource)
	early := t.WaitRunning("early")
	t.Expect(early.Status.ExtendedResourceClaimStatus).NotTo(gomega.BeNil(), "the claim in the status of the pod pending for the class")

	t.Get(class)
	class.Spec.ExtendedResourceName = &renamed
	_, err := t.Client.ResourceV1().DeviceClasses().Update(t.Context(), class, metav1.UpdateOptions{})
	t.NoError(err, "rename the extended resource of class %s", class.Name)
	expectClass(t, "later", renamed, class.Name)
	t.Create(objects.PodWanting("late", t.Image, map[string]int64{resource: 1}))
	t.WaitUnschedulable("late", "Insufficient "+resource)
	t.Expect(t.WaitRunning("early").Status.ContainerStatuses[0].RestartCount).To(gomega.BeZero(), "restarts of the pod from before")
}}

// addClass creates a class of the case's driver with an extended resource.
func addClass(t *harness.T, suffix, resource string) *resourceapi.DeviceClass {
	class := objects.Class(t.DriverName()+suffix, t.DriverName())
	class.Spec.ExtendedResourceName = &resource
	t.Create(class)
	return class
}

// expectClass runs a pod with an extended resource and expects this class to serve it.
func expectClass(t *harness.T, pod, resource, class string) {
	awaitSeen(t, "seen-"+pod)
	status := t.RunPod(objects.PodWanting(pod, t.Image, map[string]int64{resource: 1})).Status.ExtendedResourceClaimStatus
	t.Expect(status).NotTo(gomega.BeNil(), "the claim in the status of pod %s", pod)
	claim := t.WaitAllocated(status.ResourceClaimName)
	t.Expect(claim.Spec.Devices.Requests).To(gomega.HaveLen(1), "requests of the claim of pod %s", pod)
	t.Expect(claim.Spec.Devices.Requests[0].Exactly.DeviceClassName).To(gomega.Equal(class), "class of the claim of pod %s", pod)
	t.Expect(t.Environment(pod, "main")).To(matchers.SeeOnlyDevices(claim.Status.Allocation.Devices.Results[0].Device), "device of pod %s", pod)
}

// awaitSeen waits until the scheduler has seen all current classes. It gets events in order, so it
// has seen them once it looks for devices of a newer, empty class instead of the node's capacity.
func awaitSeen(t *harness.T, name string) {
	class := objects.Class(t.DriverName()+"."+name, t.DriverName())
	class.Spec.Selectors = append(class.Spec.Selectors, objects.Selector("false"))
	t.Create(class, objects.PodWanting(name, t.Image, map[string]int64{implicit(class.Name): 1}))
	t.WaitUnschedulable(name, "cannot allocate all claims")
}
