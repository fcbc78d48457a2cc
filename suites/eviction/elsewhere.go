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

package eviction

import (
	"context"
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/describe"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// otherNamespace creates another namespace for pods.
func otherNamespace(t *harness.T) (name string) {
	namespace := spec.Namespace(metav1.ObjectMeta{Name: t.Namespace + "-other"})
	t.Create(namespace)
	_, err := t.Client.CoreV1().ServiceAccounts(namespace.Name).Create(t.Context(), objects.DefaultAccount(), metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		t.NoError(err, "create the service account of the other namespace")
	}
	return namespace.Name
}

// runIn runs a pod with a claim of the same name in another namespace and waits until it is
// scheduled.
func runIn(t *harness.T, namespace string, claim *resourceapi.ResourceClaim) {
	_, err := t.Client.ResourceV1().ResourceClaims(namespace).Create(t.Context(), claim, metav1.CreateOptions{})
	t.NoError(err, "create a claim in namespace %s", namespace)
	_, err = t.Client.CoreV1().Pods(namespace).Create(t.Context(), objects.Pod(claim.Name, t.Image, claim.Name), metav1.CreateOptions{})
	t.NoError(err, "create a pod in namespace %s", namespace)
	t.Poll("pod "+claim.Name+" of namespace "+namespace+" to be scheduled", func(ctx context.Context) (bool, string, error) {
		pod, err := t.Client.CoreV1().Pods(namespace).Get(ctx, claim.Name, metav1.GetOptions{})
		if err != nil {
			return false, "", err
		}
		return pod.Spec.NodeName != "", fmt.Sprintf("node %q", pod.Spec.NodeName), nil
	})
}

// waitGoneFrom waits until a pod is gone from another namespace.
func waitGoneFrom(t *harness.T, namespace, name string) {
	t.Poll("pod "+name+" of namespace "+namespace+" to be gone", func(ctx context.Context) (bool, string, error) {
		pod, err := t.Client.CoreV1().Pods(namespace).Get(ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return true, "no such pod", nil
		}
		return false, describe.Pod(pod), err
	})
}
