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

package scheduler

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/await"
	"github.com/dra-conformance/dratest/framework/objects"
)

// AwaitSeen waits until the scheduler has seen the current slices, device classes and claims. Its
// informers deliver objects of one kind in order, but kinds independently: it may schedule a pod before
// it has seen slices older than the pod. Call AwaitSeen before creating a pod if the decision would then
// be wrong.
//
// The sign is a scheduled pod with the newest class, slice and claim of all. They have nothing to
// do with the case's driver and stay until the case ends; the pod does not have to run. For
// DeviceTaintRules see AwaitRulesSeen.
func AwaitSeen(t *harness.T) {
	ginkgo.GinkgoHelper()
	t.Step("have the scheduler see all slices, classes and claims")
	t.WaitScheduled(newWitness(t, 1).ask(0))
}

// AwaitRulesSeen is AwaitSeen for DeviceTaintRules, too: the scheduler has seen the newest rule once it
// passes over a device tainted by it. Each pod requests a new device; the first one proves their slice
// known.
func AwaitRulesSeen(t *harness.T) {
	ginkgo.GinkgoHelper()
	const pods = 40
	t.Step("have the scheduler see all DeviceTaintRules")
	w := newWitness(t, pods)
	t.WaitScheduled(w.ask(0))
	t.Create(objects.TaintRule(w.driver, w.driver, resourceapi.DeviceTaint{Key: "dra-conformance.github.io/seen", Effect: resourceapi.DeviceTaintEffectNoSchedule}))
	for i := range pods - 1 {
		name := w.ask(i + 1)
		pod := t.WaitPod(name, "scheduled or not", func(p *corev1.Pod) (bool, error) {
			return p.Spec.NodeName != "" || harness.Unschedulable(p, "cannot allocate all claims"), nil
		})
		if pod.Spec.NodeName == "" {
			return
		}
		t.RemovePod(name)
	}
	t.Fatalf("the scheduler has given devices to %d pods in spite of a rule's taint", pods-1)
}

// witness is a driver name with published devices, but without a process.
type witness struct {
	t *harness.T
	// name begins the names of its pods and claims; driver is the name of its class and slice, too.
	name, driver string
}

// newWitness publishes devices on the case's first node.
func newWitness(t *harness.T, devices int) witness {
	ginkgo.GinkgoHelper()
	name := "seen-" + rand.String(5)
	w := witness{t, name, harness.DriverName("seen/"+name, t.Namespace)}
	slice := objects.NetworkSlice(w.driver, w.driver, "seen")
	slice.Spec.AllNodes, slice.Spec.NodeName = nil, ptr.To(t.Nodes[0])
	for i := range devices {
		slice.Spec.Devices = append(slice.Spec.Devices, resourceapi.Device{Name: fmt.Sprintf("device-%d", i)})
	}
	t.Create(objects.Class(w.driver, w.driver), slice)
	return w
}

// ask creates a pod with a claim for a device, and returns the pod's name.
func (w witness) ask(number int) (pod string) {
	ginkgo.GinkgoHelper()
	name := fmt.Sprintf("%s-%d", w.name, number)
	w.t.Create(objects.Claim(name, objects.Request("req", w.driver)), objects.Pod(name, w.t.Image, name))
	return name
}

// AwaitNodeSeen waits until the scheduler has seen the current state of a node: it has to place a pod
// with a new label of the node. Otherwise it may place pods for the former resources of the
// node, and the kubelet rejects them.
func AwaitNodeSeen(t *harness.T, node string) {
	ginkgo.GinkgoHelper()
	key := t.Namespace + ".dra-conformance.github.io/known"
	label := func(ctx context.Context, value string) error {
		patch := fmt.Appendf(nil, `{"metadata": {"labels": {%q: %s}}}`, key, value)
		_, err := t.Client.CoreV1().Nodes().Patch(ctx, node, types.MergePatchType, patch, metav1.PatchOptions{})
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), await.Patience)
		defer cancel()
		if err := label(ctx, "null"); err != nil {
			t.Step("label %s stays on node %s: %v", key, node, err)
		}
	}()
	t.NoError(label(t.Context(), `"true"`), "label node %s", node)
	pod := objects.Pod("known", t.Image)
	pod.Spec.NodeSelector = map[string]string{key: "true"}
	t.Create(pod)
	t.WaitScheduled(pod.Name)
	t.RemovePod(pod.Name)
}
