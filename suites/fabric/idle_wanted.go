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
	"time"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/fabric"
	"github.com/dra-conformance/dratest/framework/harness/scheduler"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// IdleWanted creates a pod for the only device while it is being detached.
var IdleWanted = harness.Case{Meta: spec.Meta{
	ID:       "fabric/idle-device-wanted",
	Checks:   "A pod does not get an idle device about to be detached; it is detached, attached again and the pod is bound with it.",
	Requires: []spec.RequirementID{"kep-5007/unused-devices-detached", "kep-5007/attached-device-in-node-pool", "kep-5007/attached-device-as-failure"},
	Needs:    needs(1),
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	// The pod can be late: the device must not become free before the pod was seen waiting.
	c := fabric.Start(t, spec.FabricConfig{Devices: 1, DetachAfter: 10 * time.Second, DetachTakes: 25 * time.Second}).MayReport()
	c.WaitFree(1)
	node, local := t.Nodes[0], resourceapi.Device{Name: "gpu-0"}
	claim := objects.Claim("first", objects.Request("req", class))
	t.Create(claim, objects.OnlyOn(objects.Pod("first", t.Image, "first"), t.Nodes...))
	before := c.WaitDevices("attached", one(attached, node))["gpu-0"].Key
	published := t.Publish(node, node, local)
	t.WaitScheduled("first")
	t.RemovePod("first")
	t.Delete(claim)

	waitTainted(t)
	scheduler.AwaitRulesSeen(t)
	pod(t, class)
	t.WaitUnschedulable("pod", "")
	expectWaits(t)
	c.WaitDevices("detached from the first pod", func(d map[string]spec.FabricDevice) bool { return d["gpu-0"].Key != before })
	t.Delete(published) // as a driver does for a vanished device
	after := c.WaitDevices("attached again", func(d map[string]spec.FabricDevice) bool {
		return one(attached, node)(d) && d["gpu-0"].Key != before
	})["gpu-0"].Key
	waitNotTainted(t)
	t.Publish(node, node, local)
	t.WaitScheduled("pod")
	t.Expect(t.Claim("pod").Status.Allocation.Devices.Results[0].Device).To(gomega.Equal("gpu-0"), "device of the pod")
	devices, err := c.Devices(t.Context())
	t.NoError(err, "look at the fabric")
	t.Expect(devices["gpu-0"].Key).To(gomega.Equal(after), "consumer of the attached device")
}}

// waitTainted waits until a rule keeps pods away from a device of the case's driver.
func waitTainted(t *harness.T) {
	t.Poll("a taint for the idle device", func(ctx context.Context) (bool, string, error) {
		n, err := taints(ctx, t)
		return n == 1, fmt.Sprintf("%d rules", n), err
	})
}

func waitNotTainted(t *harness.T) {
	t.Poll("the taint of the device to be removed", func(ctx context.Context) (bool, string, error) {
		n, err := taints(ctx, t)
		return n == 0, fmt.Sprintf("%d rules", n), err
	})
}

// taints counts the rules for the case's driver.
func taints(ctx context.Context, t *harness.T) (n int, err error) {
	list, err := t.Client.ResourceV1().DeviceTaintRules().List(ctx, metav1.ListOptions{LabelSelector: spec.LabelFabric})
	if err != nil {
		return 0, err
	}
	for _, rule := range list.Items {
		if s := rule.Spec.DeviceSelector; s != nil && s.Driver != nil && *s.Driver == t.DriverName() {
			n++
		}
	}
	return n, nil
}
