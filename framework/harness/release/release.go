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

package release

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"
	resourceclient "k8s.io/client-go/kubernetes/typed/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness/await"
	"github.com/dra-conformance/dratest/framework/objects"
)

// Claims removes finalizers and reservations of strangers from the claims of a case's namespace.
func Claims(ctx context.Context, client kubernetes.Interface, namespace string) error {
	claims := client.ResourceV1().ResourceClaims(namespace)
	list, err := claims.List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("list claims: %w", err)
	}
	var errs []error
	for i := range list.Items {
		if err := await.IgnoreNotFound(releaseClaim(ctx, claims, &list.Items[i])); err != nil {
			errs = append(errs, fmt.Errorf("release claim %s: %w", list.Items[i].Name, err))
		}
	}
	return errors.Join(errs...)
}

func releaseClaim(ctx context.Context, claims resourceclient.ResourceClaimInterface, claim *resourceapi.ResourceClaim) (err error) {
	ofStranger := func(c resourceapi.ResourceClaimConsumerReference) bool { return c.APIGroup == objects.Strangers }
	if slices.ContainsFunc(claim.Status.ReservedFor, ofStranger) {
		claim.Status.ReservedFor = slices.DeleteFunc(claim.Status.ReservedFor, ofStranger)
		if claim, err = claims.UpdateStatus(ctx, claim, metav1.UpdateOptions{}); err != nil {
			return err
		}
	}
	if !slices.ContainsFunc(claim.Finalizers, fromStranger) {
		return nil
	}
	claim.Finalizers = slices.DeleteFunc(claim.Finalizers, fromStranger)
	_, err = claims.Update(ctx, claim, metav1.UpdateOptions{})
	return err
}

// Pods removes finalizers of strangers from the pods of a case's namespace.
func Pods(ctx context.Context, client kubernetes.Interface, namespace string) error {
	pods := client.CoreV1().Pods(namespace)
	list, err := pods.List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("list pods: %w", err)
	}
	var errs []error
	for i := range list.Items {
		pod := &list.Items[i]
		if !slices.ContainsFunc(pod.Finalizers, fromStranger) {
			continue
		}
		pod.Finalizers = slices.DeleteFunc(pod.Finalizers, fromStranger)
		if _, err := pods.Update(ctx, pod, metav1.UpdateOptions{}); await.IgnoreNotFound(err) != nil {
			errs = append(errs, fmt.Errorf("release pod %s: %w", pod.Name, err))
		}
	}
	return errors.Join(errs...)
}

func fromStranger(finalizer string) bool { return strings.HasPrefix(finalizer, objects.Strangers+"/") }

// Node force-deletes the pods on a node without a kubelet. A DaemonSet creates its pods again as
// long as the node exists.
func Node(ctx context.Context, client kubernetes.Interface, node string) error {
	pods, err := client.CoreV1().Pods(metav1.NamespaceAll).List(ctx, metav1.ListOptions{
		FieldSelector: fields.OneTermEqualSelector("spec.nodeName", node).String(),
	})
	if err != nil {
		return fmt.Errorf("list the pods of node %s: %w", node, err)
	}
	var errs []error
	for _, p := range pods.Items {
		if p.Spec.NodeName != node { // fake clients ignore the selector
			continue
		}
		err := client.CoreV1().Pods(p.Namespace).Delete(ctx, p.Name, metav1.DeleteOptions{GracePeriodSeconds: ptr.To[int64](0)})
		if err := await.IgnoreNotFound(err); err != nil {
			errs = append(errs, fmt.Errorf("delete pod %s of node %s: %w", p.Name, node, err))
		}
	}
	return errors.Join(errs...)
}
