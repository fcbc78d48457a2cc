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
