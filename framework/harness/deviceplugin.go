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
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness/await"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// OfferOn has the instance on one node offer devices through the kubelet's device
// plugin API, in place of those before, and returns once the node counts them and the
// scheduler knows: until then it may give pods devices of DRA. An offer without devices
// ends it.
func (d *Driver) OfferOn(node string, offer spec.DevicePlugin) {
	ginkgo.GinkgoHelper()
	d.t.Step("offer %d of %s through a device plugin on %s", len(offer.Devices), offer.Resource, node)
	change := offer
	if len(offer.Devices) == 0 {
		change = spec.DevicePlugin{}
	}
	d.t.NoError(d.tell(d.t.ctx, node, spec.DriverChange{DevicePlugin: &change}), "offer devices")
	d.t.waitAllocatable(node, corev1.ResourceName(offer.Resource), int64(len(offer.Devices)))
	d.t.waitKnown(node)
}

// RegisterCSIOn has the instance on one node register a CSI driver of the same name with the
// kubelet, too, in place of one before, and returns once that has accepted it.
func (d *Driver) RegisterCSIOn(node string) {
	ginkgo.GinkgoHelper()
	d.t.Step("register a CSI driver that is called %s, too, on %s", d.Name, node)
	d.t.NoError(d.tell(d.t.ctx, node, spec.DriverChange{CSI: ptr.To(true)}), "register a CSI driver")
}

// waitAllocatable waits until a node has so much of an extended resource to give.
// The kubelet says so within ten seconds.
func (t *T) waitAllocatable(node string, resource corev1.ResourceName, number int64) {
	ginkgo.GinkgoHelper()
	t.Poll(fmt.Sprintf("%d of %s to be allocatable on node %s", number, resource, node), func(ctx context.Context) (bool, string, error) {
		n, err := t.Client.CoreV1().Nodes().Get(ctx, node, metav1.GetOptions{})
		if err != nil {
			return false, "", err
		}
		seen := n.Status.Allocatable[resource]
		return seen.Value() == number, seen.String(), nil
	})
}

// waitKnown waits until the scheduler knows a node as it is now: it has to place a pod
// by a label that the node gets only now. A scheduler that is late places pods by what
// the node had before, the kubelet refuses them, and they have failed.
func (t *T) waitKnown(node string) {
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
