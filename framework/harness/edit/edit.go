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

package edit

import (
	"github.com/onsi/ginkgo/v2"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/retry"

	"github.com/dra-conformance/dratest/framework/harness"
)

// ClaimStatus changes the status of a claim and returns the stored claim.
func ClaimStatus(t *harness.T, name string, change func(*resourceapi.ResourceClaim)) *resourceapi.ResourceClaim {
	ginkgo.GinkgoHelper()
	claims := t.Client.ResourceV1().ResourceClaims(t.Namespace)
	return changed(t, "the status of claim "+name, change,
		func() (*resourceapi.ResourceClaim, error) { return claims.Get(t.Context(), name, metav1.GetOptions{}) },
		func(claim *resourceapi.ResourceClaim) (*resourceapi.ResourceClaim, error) {
			return claims.UpdateStatus(t.Context(), claim, metav1.UpdateOptions{})
		})
}

// PodStatus changes the status of a pod and returns the stored pod.
func PodStatus(t *harness.T, name string, change func(*corev1.Pod)) *corev1.Pod {
	ginkgo.GinkgoHelper()
	pods := t.Client.CoreV1().Pods(t.Namespace)
	return changed(t, "the status of pod "+name, change,
		func() (*corev1.Pod, error) { return pods.Get(t.Context(), name, metav1.GetOptions{}) },
		func(pod *corev1.Pod) (*corev1.Pod, error) {
			return pods.UpdateStatus(t.Context(), pod, metav1.UpdateOptions{})
		})
}

// Slice changes a ResourceSlice.
func Slice(t *harness.T, name string, change func(*resourceapi.ResourceSlice)) {
	ginkgo.GinkgoHelper()
	slices := t.Client.ResourceV1().ResourceSlices()
	changed(t, "slice "+name, change,
		func() (*resourceapi.ResourceSlice, error) { return slices.Get(t.Context(), name, metav1.GetOptions{}) },
		func(slice *resourceapi.ResourceSlice) (*resourceapi.ResourceSlice, error) {
			return slices.Update(t.Context(), slice, metav1.UpdateOptions{})
		})
}

// Class changes a DeviceClass.
func Class(t *harness.T, name string, change func(*resourceapi.DeviceClass)) {
	ginkgo.GinkgoHelper()
	classes := t.Client.ResourceV1().DeviceClasses()
	changed(t, "class "+name, change,
		func() (*resourceapi.DeviceClass, error) { return classes.Get(t.Context(), name, metav1.GetOptions{}) },
		func(class *resourceapi.DeviceClass) (*resourceapi.DeviceClass, error) {
			return classes.Update(t.Context(), class, metav1.UpdateOptions{})
		})
}

// Rule changes a DeviceTaintRule.
func Rule(t *harness.T, name string, change func(*resourceapi.DeviceTaintRule)) {
	ginkgo.GinkgoHelper()
	rules := t.Client.ResourceV1().DeviceTaintRules()
	changed(t, "rule "+name, change,
		func() (*resourceapi.DeviceTaintRule, error) { return rules.Get(t.Context(), name, metav1.GetOptions{}) },
		func(rule *resourceapi.DeviceTaintRule) (*resourceapi.DeviceTaintRule, error) {
			return rules.Update(t.Context(), rule, metav1.UpdateOptions{})
		})
}

// Ungate removes the scheduling gates of a pod.
func Ungate(t *harness.T, pod string) {
	ginkgo.GinkgoHelper()
	t.Step("let the scheduler come to pod %s", pod)
	_, err := t.Client.CoreV1().Pods(t.Namespace).Patch(t.Context(), pod, types.JSONPatchType, []byte(`[{"op": "remove", "path": "/spec/schedulingGates"}]`), metav1.PatchOptions{})
	t.NoError(err, "remove the scheduling gates of pod %s", pod)
}

// AllowAdminAccess labels the case's namespace, so that its claims may request admin access.
func AllowAdminAccess(t *harness.T) {
	ginkgo.GinkgoHelper()
	label := []byte(`{"metadata":{"labels":{"` + resourceapi.DRAAdminNamespaceLabelKey + `":"true"}}}`)
	_, err := t.Client.CoreV1().Namespaces().Patch(t.Context(), t.Namespace, types.MergePatchType, label, metav1.PatchOptions{})
	t.NoError(err, "allow admin access in the namespace")
}

// changed reads, changes and writes an object, again after a conflict, and returns the stored object.
func changed[O any](t *harness.T, what string, change func(O), get func() (O, error), write func(O) (O, error)) (stored O) {
	ginkgo.GinkgoHelper()
	t.Step("change %s", what)
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		object, err := get()
		if err != nil {
			return err
		}
		change(object)
		stored, err = write(object)
		return err
	})
	t.NoError(err, "change %s", what)
	return stored
}
