package harness

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness/await"
	"github.com/dra-conformance/dratest/framework/harness/describe"
)

// EndPodsOf deletes the pods that are bound to a node without asking its kubelet, for nodes
// that have none. Pods of a DaemonSet are made again as long as the node is there.
func EndPodsOf(ctx context.Context, client kubernetes.Interface, node string) error {
	pods, err := client.CoreV1().Pods(metav1.NamespaceAll).List(ctx, metav1.ListOptions{
		FieldSelector: fields.OneTermEqualSelector("spec.nodeName", node).String(),
	})
	if err != nil {
		return fmt.Errorf("list the pods of node %s: %w", node, err)
	}
	var errs []error
	for _, p := range pods.Items {
		if p.Spec.NodeName != node { // fake API servers know no such selector
			continue
		}
		err := client.CoreV1().Pods(p.Namespace).Delete(ctx, p.Name, metav1.DeleteOptions{GracePeriodSeconds: ptr.To[int64](0)})
		if err := await.IgnoreNotFound(err); err != nil {
			errs = append(errs, fmt.Errorf("delete pod %s of node %s: %w", p.Name, node, err))
		}
	}
	return errors.Join(errs...)
}

// removeNodes removes the nodes that the case made, with their pods.
func (t *T) removeNodes(ctx context.Context) error {
	var errs []error
	for _, o := range t.tracked() {
		node, ok := o.(*corev1.Node)
		if !ok {
			continue
		}
		errs = append(errs,
			await.Insist(ctx, "delete "+describe.Object(node), func(ctx context.Context) error { return t.objects.Delete(ctx, node) }),
			await.Insist(ctx, "end the pods of "+describe.Object(node), func(ctx context.Context) error { return EndPodsOf(ctx, t.Client, node.Name) }))
	}
	return errors.Join(errs...)
}
