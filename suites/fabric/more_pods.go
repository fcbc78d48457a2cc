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

package fabric

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/fabric"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

const (
	manyPods    = 50
	manyDevices = 20
)

// MorePodsThanDevices creates 50 pods for 20 devices.
var MorePodsThanDevices = harness.Case{Meta: spec.Meta{
	ID:       "fabric/more-pods-than-devices",
	Checks:   "Of 50 pods competing for 20 fabric devices, 20 are bound, each with a device on its node.",
	Requires: []spec.RequirementID{"kep-5007/waits-for-conditions", "kep-5007/attached-device-leaves-pool"},
	Needs:    needs(2),
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	c := fabric.Start(t, binding(manyDevices)).MayReport()
	c.WaitFree(manyDevices)
	c.Say(spec.AttachRule{Takes: time.Second})
	t.Create(objects.Template("template", objects.Claim("", objects.Request("req", class))))
	for i := range manyPods {
		t.Create(objects.OnlyOn(objects.PodFromTemplate(fmt.Sprintf("pod-%d", i), t.Image, "template"), t.Nodes...))
	}
	bound := waitBound(t)
	onNode := map[string]int{}
	for _, p := range bound {
		onNode[p.Spec.NodeName]++
	}
	c.WaitDevices("all attached, where the pods are", func(d map[string]spec.FabricDevice) bool {
		for node, n := range onNode {
			if count(d, attached, node) != n {
				return false
			}
		}
		return count(d, attached, "") == manyDevices
	})
	c.WaitFree(0)
	// No device is left for another pod, nor being attached.
	t.Expect(boundPods(t.Context(), t)).To(gomega.HaveLen(manyDevices), "pods bound after all devices were attached")
}}

// waitBound waits until there are as many bound pods as devices.
func waitBound(t *harness.T) (bound []corev1.Pod) {
	t.Poll(fmt.Sprintf("%d pods to be bound", manyDevices), func(ctx context.Context) (_ bool, _ string, err error) {
		bound, err = boundPods(ctx, t)
		return len(bound) >= manyDevices, fmt.Sprintf("%d are", len(bound)), err
	})
	return bound
}

// boundPods returns the bound pods of the case.
func boundPods(ctx context.Context, t *harness.T) ([]corev1.Pod, error) {
	list, err := t.Client.CoreV1().Pods(t.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(list.Items, func(p corev1.Pod) bool { return p.Spec.NodeName == "" }), nil
}
