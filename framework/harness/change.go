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
	"github.com/onsi/ginkgo/v2"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/retry"
)

// ChangeClaimStatus changes the status of a claim of the case as it is now, and returns the
// claim as it was stored.
func (t *T) ChangeClaimStatus(name string, change func(*resourceapi.ResourceClaim)) *resourceapi.ResourceClaim {
	ginkgo.GinkgoHelper()
	claims := t.Client.ResourceV1().ResourceClaims(t.Namespace)
	return changed(t, "the status of claim "+name, change,
		func() (*resourceapi.ResourceClaim, error) { return claims.Get(t.ctx, name, metav1.GetOptions{}) },
		func(claim *resourceapi.ResourceClaim) (*resourceapi.ResourceClaim, error) {
			return claims.UpdateStatus(t.ctx, claim, metav1.UpdateOptions{})
		})
}

// ChangePodStatus does the same for a pod.
func (t *T) ChangePodStatus(name string, change func(*corev1.Pod)) *corev1.Pod {
	ginkgo.GinkgoHelper()
	pods := t.Client.CoreV1().Pods(t.Namespace)
	return changed(t, "the status of pod "+name, change,
		func() (*corev1.Pod, error) { return pods.Get(t.ctx, name, metav1.GetOptions{}) },
		func(pod *corev1.Pod) (*corev1.Pod, error) {
			return pods.UpdateStatus(t.ctx, pod, metav1.UpdateOptions{})
		})
}

// ChangeSlice changes a ResourceSlice of the case as it is now.
func (t *T) ChangeSlice(name string, change func(*resourceapi.ResourceSlice)) {
	ginkgo.GinkgoHelper()
	slices := t.Client.ResourceV1().ResourceSlices()
	changed(t, "slice "+name, change,
		func() (*resourceapi.ResourceSlice, error) { return slices.Get(t.ctx, name, metav1.GetOptions{}) },
		func(slice *resourceapi.ResourceSlice) (*resourceapi.ResourceSlice, error) {
			return slices.Update(t.ctx, slice, metav1.UpdateOptions{})
		})
}

// ChangeClass changes a device class of the case as it is now.
func (t *T) ChangeClass(name string, change func(*resourceapi.DeviceClass)) {
	ginkgo.GinkgoHelper()
	classes := t.Client.ResourceV1().DeviceClasses()
	changed(t, "class "+name, change,
		func() (*resourceapi.DeviceClass, error) { return classes.Get(t.ctx, name, metav1.GetOptions{}) },
		func(class *resourceapi.DeviceClass) (*resourceapi.DeviceClass, error) {
			return classes.Update(t.ctx, class, metav1.UpdateOptions{})
		})
}

// ChangeRule changes a DeviceTaintRule of the case as it is now.
func (t *T) ChangeRule(name string, change func(*resourceapi.DeviceTaintRule)) {
	ginkgo.GinkgoHelper()
	rules := t.Client.ResourceV1().DeviceTaintRules()
	changed(t, "rule "+name, change,
		func() (*resourceapi.DeviceTaintRule, error) { return rules.Get(t.ctx, name, metav1.GetOptions{}) },
		func(rule *resourceapi.DeviceTaintRule) (*resourceapi.DeviceTaintRule, error) {
			return rules.Update(t.ctx, rule, metav1.UpdateOptions{})
		})
}

// Ungate lets the scheduler come to a pod of the case that it was kept from.
func (t *T) Ungate(pod string) {
	ginkgo.GinkgoHelper()
	t.Step("let the scheduler come to pod %s", pod)
	_, err := t.Client.CoreV1().Pods(t.Namespace).Patch(t.ctx, pod, types.JSONPatchType, []byte(`[{"op": "remove", "path": "/spec/schedulingGates"}]`), metav1.PatchOptions{})
	t.NoError(err, "remove the scheduling gates of pod %s", pod)
}

// AllowAdminAccess lets claims in the case's namespace ask for admin access.
func (t *T) AllowAdminAccess() {
	ginkgo.GinkgoHelper()
	label := []byte(`{"metadata":{"labels":{"` + resourceapi.DRAAdminNamespaceLabelKey + `":"true"}}}`)
	_, err := t.Client.CoreV1().Namespaces().Patch(t.ctx, t.Namespace, types.MergePatchType, label, metav1.PatchOptions{})
	t.NoError(err, "allow admin access in the namespace")
}

// changed reads an object, changes it and writes it, again where somebody else has written
// it meanwhile, and returns it as it was stored.
func changed[O any](t *T, what string, change func(O), get func() (O, error), write func(O) (O, error)) (stored O) {
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
