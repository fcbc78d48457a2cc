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

package harness

import (
	"github.com/onsi/ginkgo/v2"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/objects"
)

// Driver is the driver whose devices a case uses: a simulated driver, or the driver under test as
// its vendor installed it.
type Driver interface {
	// Request asks for one device.
	Request(name string) resourceapi.DeviceRequest
	// Script is what a container runs first. Its output is the input of ExpectDevices.
	Script() string
	// ExpectDevices ends the case unless a container has exactly the devices allocated for these
	// requests of a claim, or for all of them if none are given. A nil claim means no devices.
	ExpectDevices(pod, container string, claim *resourceapi.ResourceClaim, requests ...string)
	// ExpectHeld ends the case unless a claim is prepared and was never unprepared.
	ExpectHeld(claim *resourceapi.ResourceClaim)
	// AwaitUnprepared waits until no claim of the case is prepared.
	AwaitUnprepared()
}

// newDriver returns the driver of the case. It starts a simulated one unless an earlier process
// of the case did.
func (t *T) newDriver(running bool) Driver {
	if t.env.Driver == nil {
		return nil
	}
	return t.env.Driver(t, running)
}

// DriverName is the name of the driver of the case, empty if it has none. A simulated driver has
// a name unique for the case. Cases that need no kubelet publish under such a name, and no driver
// runs.
func (t *T) DriverName() string {
	needs := t.meta.Needs
	if s := t.env.subject(); s != "" && !needs.NoKubelet {
		return s
	}
	if needs.NoKubelet || len(needs.Profile.Pools) > 0 {
		return DriverName(t.meta.ID, t.Namespace)
	}
	return ""
}

// Container stays, and shows what it got of the driver under test; it uses all requests
// of these claims of its pod.
func (t *T) Container(name string, claims ...string) corev1.Container {
	return objects.Container(name, t.Image, t.Driver.Script()+"\n"+objects.Stay, claims...)
}

// EndingContainer is Container, and ends once it has shown what it got.
func (t *T) EndingContainer(name string, claims ...string) corev1.Container {
	return objects.Container(name, t.Image, t.Driver.Script(), claims...)
}

// Pod is a pod with Container "main" and these claims, which go by their own names in it.
func (t *T) Pod(name string, claims ...string) *corev1.Pod {
	pod := objects.Pod(name, t.Image, claims...)
	pod.Spec.Containers = []corev1.Container{t.Container("main", claims...)}
	return pod
}

// PodFromTemplate is Pod with one claim "claim" that is made from a template.
func (t *T) PodFromTemplate(name, template string) *corev1.Pod {
	pod := objects.PodFromTemplate(name, t.Image, template)
	pod.Spec.Containers = []corev1.Container{t.Container("main", "claim")}
	return pod
}

// AwaitReleased waits until a claim that no pod uses any more is unprepared and deallocated.
func (t *T) AwaitReleased(claim string) {
	ginkgo.GinkgoHelper()
	t.Driver.AwaitUnprepared()
	t.WaitDeallocated(claim)
}
