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
	"cmp"
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness/await"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/pools"
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
	s := t.env.Plan.Target.Subject
	switch {
	case s == nil && t.env.Driver == nil:
		return nil
	case s == nil:
		return t.env.Driver(t, running)
	case !running:
		t.watchSubject()
	}
	return newFound(t, *s)
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

// Pools are those that the driver under test publishes, once each is complete.
func (t *T) Pools() (all []pools.Pool) {
	ginkgo.GinkgoHelper()
	t.Poll("complete pools of driver "+t.DriverName(), func(ctx context.Context) (bool, string, error) {
		published, problem, err := t.poolsOf(ctx, t.DriverName())
		all = published
		return err == nil && problem == "", cmp.Or(problem, fmt.Sprintf("%d pools", len(all))), err
	})
	return all
}

// poolsOf are the pools of a driver as they are published now, and what keeps the first that is
// not complete from being so; empty if all are.
func (t *T) poolsOf(ctx context.Context, driver string) (all []pools.Pool, problem string, err error) {
	published, err := t.Client.ResourceV1().ResourceSlices().List(ctx, metav1.ListOptions{FieldSelector: await.OfDriver(driver)})
	if err != nil {
		return nil, "", fmt.Errorf("list slices: %w", err)
	}
	all = pools.Of(driver, published.Items)
	for _, p := range all {
		problem = cmp.Or(problem, p.Problem())
	}
	return all, problem, nil
}

// Published is a device of the driver under test as it is published; it ends the case if there is
// none of that name.
func (t *T) Published(pool, device string) (of pools.Pool, published pools.Device) {
	ginkgo.GinkgoHelper()
	of, published, there := t.FindDevice(pool, device)
	t.Expect(there).To(gomega.BeTrue(), "whether device %s of pool %s is published", device, pool)
	return of, published
}

// FindDevice is Published where the device may not be there.
func (t *T) FindDevice(pool, device string) (of pools.Pool, published pools.Device, there bool) {
	ginkgo.GinkgoHelper()
	for _, p := range t.Pools() {
		for _, d := range p.Devices() {
			if p.Name == pool && d.Name == device {
				return p, d, true
			}
		}
	}
	return of, published, false
}
