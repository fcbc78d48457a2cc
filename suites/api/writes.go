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
	"context"
	"fmt"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
)

// driver is the driver named in these cases' objects; none runs.
const driver = "api.dra-conformance.github.io"

// creator is the common interface of typed clients.
type creator[O any] interface {
	Create(ctx context.Context, o O, options metav1.CreateOptions) (O, error)
}

// updater is the same for updates.
type updater[O any] interface {
	Update(ctx context.Context, o O, options metav1.UpdateOptions) (O, error)
}

// create creates objects as a dry run, judged as if stored.
func create[O any](t *harness.T, client creator[O]) func(O) error {
	return func(o O) error {
		_, err := client.Create(t.Context(), o, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return err
	}
}

// update does the same for updates of an existing object.
func update[O any](t *harness.T, client updater[O]) func(O) error {
	return func(o O) error {
		_, err := client.Update(t.Context(), o, metav1.UpdateOptions{DryRun: []string{metav1.DryRunAll}})
		return err
	}
}

// createClaim judges new claims in the case's namespace.
func createClaim(t *harness.T) func(*resourceapi.ResourceClaim) error {
	return create(t, t.Client.ResourceV1().ResourceClaims(t.Namespace))
}

// createSlice judges new slices.
func createSlice(t *harness.T) func(*resourceapi.ResourceSlice) error {
	return create(t, t.Client.ResourceV1().ResourceSlices())
}

// changeOf judges changes of a stored object: writes have its name and version.
func changeOf[O metav1.Object](t *harness.T, client updater[O], stored O) func(O) error {
	return func(o O) error {
		o.SetName(stored.GetName())
		o.SetResourceVersion(stored.GetResourceVersion())
		return update(t, client)(o)
	}
}

// judgeSlices judges slices on creation, and on update from a valid one on a missing node: these rules
// are not about nodes.
func judgeSlices(t *harness.T, valid func() *resourceapi.ResourceSlice, rules ...rule[*resourceapi.ResourceSlice]) {
	judge(t, valid, createSlice(t), rules...)
	stored := onlyOn(t, valid())
	stored.Name = t.Namespace + "-changed"
	t.Create(stored)
	change := changeOf(t, t.Client.ResourceV1().ResourceSlices(), stored)
	judge(t, valid, func(s *resourceapi.ResourceSlice) error { return change(onlyOn(t, s)) }, rules...)
	t.Delete(stored)
}

// judgeClasses judges classes on creation, and on update from a valid one.
func judgeClasses(t *harness.T, rules ...rule[*resourceapi.DeviceClass]) {
	classes, stored := t.Client.ResourceV1().DeviceClasses(), validClass()
	judge(t, validClass, create(t, classes), rules...)
	stored.Name = t.Namespace
	t.Create(stored)
	judge(t, validClass, changeOf(t, classes, stored), rules...)
}

// onlyOn returns the slice on a missing node.
func onlyOn(t *harness.T, s *resourceapi.ResourceSlice) *resourceapi.ResourceSlice {
	s.Spec.AllNodes, s.Spec.NodeName = nil, &t.Namespace
	return s
}

func validClaim() *resourceapi.ResourceClaim {
	return objects.Claim("claim", objects.Request("req", "class"))
}

// onRequest changes the claim's first request.
func onRequest(change func(*resourceapi.ExactDeviceRequest)) func(*resourceapi.ResourceClaim) {
	return func(c *resourceapi.ResourceClaim) { change(c.Spec.Devices.Requests[0].Exactly) }
}

func validSlice() *resourceapi.ResourceSlice {
	return objects.NetworkSlice("dratest-api", driver, "pool", resourceapi.Device{Name: "device"})
}

// onDevice changes the slice's first device.
func onDevice(change func(*resourceapi.Device)) func(*resourceapi.ResourceSlice) {
	return func(s *resourceapi.ResourceSlice) { change(&s.Spec.Devices[0]) }
}

// characters returns a name of n characters.
func characters(n int) string { return strings.Repeat("a", n) }

// parametersOf returns n bytes of parameters in JSON.
func parametersOf(n int) string { return `{"a":"` + characters(n-len(`{"a":""}`)) + `"}` }

// numbered returns n values; the last one's number is n-1.
func numbered[V any](n int, one func(i int) V) []V {
	all := make([]V, 0, n)
	for i := range n {
		all = append(all, one(i))
	}
	return all
}

// name returns a name with a number, as "x-7".
func name(prefix string, i int) string { return fmt.Sprintf("%s-%d", prefix, i) }

// consumer returns a consumer of a claim other than a pod.
func consumer(i int) resourceapi.ResourceClaimConsumerReference {
	return objects.Stranger(name("name", i))
}

// statusUpdater is the same for the status.
type statusUpdater[O any] interface {
	UpdateStatus(ctx context.Context, o O, options metav1.UpdateOptions) (O, error)
}

// updateStatus does the same for status updates of an existing object.
func updateStatus[O any](t *harness.T, client statusUpdater[O]) func(O) error {
	return func(o O) error {
		_, err := client.UpdateStatus(t.Context(), o, metav1.UpdateOptions{DryRun: []string{metav1.DryRunAll}})
		return err
	}
}
