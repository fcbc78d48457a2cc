package harness

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/spec"
)

// OfferOn has the instance on one node offer devices through the kubelet's device
// plugin API, in place of those before, and returns once the node counts them. An
// offer without devices ends it.
func (d *Driver) OfferOn(node string, offer spec.DevicePlugin) {
	ginkgo.GinkgoHelper()
	d.t.Step("offer %d of %s through a device plugin on %s", len(offer.Devices), offer.Resource, node)
	change := offer
	if len(offer.Devices) == 0 {
		change = spec.DevicePlugin{}
	}
	d.t.NoError(d.tell(d.t.ctx, node, spec.DriverChange{DevicePlugin: &change}), "offer devices")
	d.t.waitAllocatable(node, corev1.ResourceName(offer.Resource), int64(len(offer.Devices)))
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
