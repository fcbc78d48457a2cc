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

package simdriver

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness/scheduler"
	"github.com/dra-conformance/dratest/framework/spec"
)

// OfferOn replaces the devices offered by the instance on one node through the kubelet's device plugin
// API. It waits until the node counts them and the scheduler has seen that: until then the scheduler
// may allocate DRA devices to pods. An offer without devices ends the offer.
func (d *Driver) OfferOn(node string, offer spec.DevicePlugin) {
	ginkgo.GinkgoHelper()
	d.t.Step("offer %d of %s through a device plugin on %s", len(offer.Devices), offer.Resource, node)
	change := offer
	if len(offer.Devices) == 0 {
		change = spec.DevicePlugin{}
	}
	d.t.NoError(d.changeOn(d.t.Context(), node, spec.DriverChange{DevicePlugin: &change}), "offer devices")
	d.awaitAllocatable(node, corev1.ResourceName(offer.Resource), int64(len(offer.Devices)))
	scheduler.AwaitNodeSeen(d.t, node)
}

// RegisterCSIOn registers a CSI driver of the same name with the kubelet of one node and waits until
// the kubelet has accepted it.
func (d *Driver) RegisterCSIOn(node string) {
	ginkgo.GinkgoHelper()
	d.t.Step("register a CSI driver also named %s, on %s", d.Name, node)
	d.t.NoError(d.changeOn(d.t.Context(), node, spec.DriverChange{CSI: ptr.To(true)}), "register a CSI driver")
}

// awaitAllocatable waits for the allocatable number of an extended resource. The kubelet updates it
// within ten seconds.
func (d *Driver) awaitAllocatable(node string, resource corev1.ResourceName, number int64) {
	ginkgo.GinkgoHelper()
	d.t.Poll(fmt.Sprintf("%d of %s to be allocatable on node %s", number, resource, node), func(ctx context.Context) (bool, string, error) {
		n, err := d.t.Client.CoreV1().Nodes().Get(ctx, node, metav1.GetOptions{})
		if err != nil {
			return false, "", err
		}
		seen := n.Status.Allocatable[resource]
		return seen.Value() == number, seen.String(), nil
	})
}
