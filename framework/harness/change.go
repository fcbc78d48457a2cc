package harness

import (
	"github.com/onsi/ginkgo/v2"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
)

// ChangeClaimStatus changes the status of a claim of the case as it is now, and returns the
// claim as it was stored.
func (t *T) ChangeClaimStatus(name string, change func(*resourceapi.ResourceClaim)) *resourceapi.ResourceClaim {
	ginkgo.GinkgoHelper()
	t.Step("change the status of claim %s", name)
	var stored *resourceapi.ResourceClaim
	claims := t.Client.ResourceV1().ResourceClaims(t.Namespace)
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		claim, err := claims.Get(t.ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		change(claim)
		stored, err = claims.UpdateStatus(t.ctx, claim, metav1.UpdateOptions{})
		return err
	})
	t.NoError(err, "change the status of claim %s", name)
	return stored
}

// ChangePodStatus does the same for a pod.
func (t *T) ChangePodStatus(name string, change func(*corev1.Pod)) *corev1.Pod {
	ginkgo.GinkgoHelper()
	t.Step("change the status of pod %s", name)
	var stored *corev1.Pod
	pods := t.Client.CoreV1().Pods(t.Namespace)
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		pod, err := pods.Get(t.ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		change(pod)
		stored, err = pods.UpdateStatus(t.ctx, pod, metav1.UpdateOptions{})
		return err
	})
	t.NoError(err, "change the status of pod %s", name)
	return stored
}

// ChangeSlice changes a ResourceSlice of the case as it is now.
func (t *T) ChangeSlice(name string, change func(*resourceapi.ResourceSlice)) {
	ginkgo.GinkgoHelper()
	t.Step("change slice %s", name)
	slices := t.Client.ResourceV1().ResourceSlices()
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		slice, err := slices.Get(t.ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		change(slice)
		_, err = slices.Update(t.ctx, slice, metav1.UpdateOptions{})
		return err
	})
	t.NoError(err, "change slice %s", name)
}

// ChangeClass changes a device class of the case as it is now.
func (t *T) ChangeClass(name string, change func(*resourceapi.DeviceClass)) {
	ginkgo.GinkgoHelper()
	t.Step("change class %s", name)
	classes := t.Client.ResourceV1().DeviceClasses()
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		class, err := classes.Get(t.ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		change(class)
		_, err = classes.Update(t.ctx, class, metav1.UpdateOptions{})
		return err
	})
	t.NoError(err, "change class %s", name)
}
