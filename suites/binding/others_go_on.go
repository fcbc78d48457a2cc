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
	"context"
	"fmt"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// OthersGoOn has eight pods waiting for binding conditions. Others have no claim, or a device
// without conditions.
var OthersGoOn = harness.Case{Meta: spec.Meta{
	ID:       "binding/others-go-on",
	Checks:   "Pods waiting for binding conditions do not delay other pods.",
	Requires: []spec.RequirementID{"kep-5007/waiting-does-not-hold-queue", "kep-5007/waits-for-conditions"},
	Needs:    spec.Needs{NoKubelet: true, Features: features()},
	WaitsFor: waitsForLooks,
}, Run: func(t *harness.T) {
	const waiting = 8
	class := t.CreateClass(nil)
	var slow []resourceapi.Device
	var names []string
	for i := range waiting {
		slow = append(slow, conditional(fmt.Sprintf("device-%d", i), profiles.Attached))
		names = append(names, fmt.Sprintf("slow-%d", i))
	}
	t.Publish("slow", t.Nodes[0], slow...)
	for _, name := range names {
		t.Create(objects.Claim(name, objects.Request("req", class)), objects.Pod(name, t.Image, name))
	}
	for _, name := range names {
		t.WaitEvent(name, "BindingConditionsPending", "")
	}
	t.Publish("fast", t.Nodes[0], profiles.OneDevice().Pools[0].Devices...)
	t.Create(objects.Pod("plain", t.Image), objects.Claim("fast", objects.Request("req", class)), objects.Pod("fast", t.Image, "fast"))
	// If they had to wait for one of the eight, they would be bound only after its timeout.
	var left []string
	t.OccursWithin(beforeTimeout, "pods that can be bound at once", func(ctx context.Context) (bool, string, error) {
		left = nil
		for _, name := range []string{"plain", "fast"} {
			pod, err := t.Client.CoreV1().Pods(t.Namespace).Get(ctx, name, metav1.GetOptions{})
			if err != nil {
				return false, "", err
			}
			if pod.Spec.NodeName == "" {
				left = append(left, name)
			}
		}
		return len(left) == 0, fmt.Sprintf("not bound: %q", left), nil
	})
	t.Expect(left).To(gomega.BeEmpty(), "pods that can be bound at once but are not while others wait")
	t.Expect(t.Claim("fast")).To(matchers.HaveDevicesFrom("fast"), "pool of the device without conditions")
	stayUnbound(t, names...)
	meet(t, names...)
	for _, name := range names {
		ready(t, name, name)
	}
}}
