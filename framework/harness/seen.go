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
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness/await"
	"github.com/dra-conformance/dratest/framework/objects"
)

// AwaitSeen returns once the scheduler has seen all slices, device classes and claims as they
// are now. It hears of the objects of one kind one after the other, and of each kind by itself:
// it may come to a pod before it has heard of what was published before the pod was created,
// and what it decides then is right by what it has seen. A case calls this before it creates a
// pod for which that would be another decision than the right one by all that there is, and not
// only one that comes later.
//
// The sign is a pod that is scheduled with the newest class, slice and claim of all. They have
// nothing to do with the case's driver and stay until it ends; the pod is not made to run. For
// DeviceTaintRules see AwaitRulesSeen.
func (t *T) AwaitSeen() {
	ginkgo.GinkgoHelper()
	t.Step("have the scheduler see all slices, classes and claims")
	t.WaitScheduled(t.askWitness(t.witness(1), 0))
}

// AwaitRulesSeen is AwaitSeen, and returns once the scheduler has also seen all DeviceTaintRules:
// it passes devices over for one that is younger than all others. A pod waits only for that:
// each that asks has a device that nobody has had, and the first one shows that their slice is
// known.
func (t *T) AwaitRulesSeen() {
	ginkgo.GinkgoHelper()
	const pods = 40
	t.Step("have the scheduler see all DeviceTaintRules")
	driver := t.witness(pods)
	t.WaitScheduled(t.askWitness(driver, 0))
	t.Create(objects.TaintRule(driver, driver, resourceapi.DeviceTaint{Key: "dra-conformance.github.io/seen", Effect: resourceapi.DeviceTaintEffectNoSchedule}))
	for i := range pods - 1 {
		name := t.askWitness(driver, i+1)
		pod := t.WaitPod(name, "scheduled or not", func(p *corev1.Pod) (bool, error) {
			return p.Spec.NodeName != "" || Unschedulable(p, "cannot allocate all claims"), nil
		})
		if pod.Spec.NodeName == "" {
			return
		}
		t.RemovePod(name)
	}
	t.Fatalf("the scheduler has given devices to %d pods in spite of a rule's taint", pods-1)
}

// witness publishes so many devices, on the case's first node, of a driver that does not run
// and of which nobody else asks for any, with a class of the driver's name, which it returns.
func (t *T) witness(devices int) (driver string) {
	ginkgo.GinkgoHelper()
	t.witnesses++
	driver = DriverName(fmt.Sprintf("seen/seen-%d", t.witnesses), t.Namespace)
	slice := objects.NetworkSlice(driver, driver, "seen")
	slice.Spec.AllNodes, slice.Spec.NodeName = nil, ptr.To(t.Nodes[0])
	for i := range devices {
		slice.Spec.Devices = append(slice.Spec.Devices, resourceapi.Device{Name: fmt.Sprintf("device-%d", i)})
	}
	t.Create(objects.Class(driver, driver), slice)
	return driver
}

// askWitness creates a pod with a claim for one of its devices, and returns the pod's name.
func (t *T) askWitness(driver string, number int) (pod string) {
	ginkgo.GinkgoHelper()
	name := fmt.Sprintf("seen-%d-%d", t.witnesses, number)
	t.Create(objects.Claim(name, objects.Request("req", driver)), objects.Pod(name, t.Image, name))
	return name
}

// AwaitNodeSeen waits until the scheduler has seen a node as it is now: it has to place a pod
// by a label that the node gets only now. A scheduler that is late places pods by what
// the node had before, the kubelet refuses them, and they have failed.
func (t *T) AwaitNodeSeen(node string) {
	ginkgo.GinkgoHelper()
	key := t.Namespace + ".dra-conformance.github.io/known"
	label := func(ctx context.Context, value string) error {
		patch := fmt.Appendf(nil, `{"metadata": {"labels": {%q: %s}}}`, key, value)
		_, err := t.Client.CoreV1().Nodes().Patch(ctx, node, types.MergePatchType, patch, metav1.PatchOptions{})
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.ctx), await.Patience)
		defer cancel()
		if err := label(ctx, "null"); err != nil {
			t.Step("label %s stays on node %s: %v", key, node, err)
		}
	}()
	t.NoError(label(t.ctx, `"true"`), "label node %s", node)
	pod := objects.Pod("known", t.Image)
	pod.Spec.NodeSelector = map[string]string{key: "true"}
	t.Create(pod)
	t.WaitScheduled(pod.Name)
	t.RemovePod(pod.Name)
}
