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

package admission

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/onsi/ginkgo/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/await"
	"github.com/dra-conformance/dratest/framework/harness/describe"
)

// counterTime is how long kube-controller-manager may take to see a quota.
const counterTime = 5 * time.Second

// CreateQuota creates a ResourceQuota and waits until the API server rejects beyond, an object that
// exceeds the quota and is created as a dry run. The namespace must have no objects yet that the quota
// counts.
//
// The API server counts new objects with a cache of quotas. Objects created before the cache has the
// quota are counted when kube-controller-manager counts anew, five minutes later
// (plugin/resourcequota/resource_access.go, GetQuotas). The quota's status is no sign that the cache has
// it.
//
// A quota limits nothing until its status has its limits. On an API server without controllers nobody
// writes them, so CreateQuota does.
func CreateQuota(t *harness.T, name string, hard corev1.ResourceList, beyond harness.Object) {
	ginkgo.GinkgoHelper()
	t.Create(&corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.ResourceQuotaSpec{Hard: hard}})
	beyond.SetNamespace(t.Namespace)
	created := time.Now()
	t.Poll(fmt.Sprintf("quota %s to refuse %s", name, describe.Object(beyond)), func(ctx context.Context) (bool, string, error) {
		if time.Since(created) > counterTime {
			if err := beginQuota(ctx, t, name); err != nil {
				return false, "", err
			}
		}
		attempt := beyond.DeepCopyObject().(harness.Object)
		err := t.TryCreate(ctx, attempt)
		if err == nil {
			return false, "it was accepted", nil
		}
		if apierrors.IsForbidden(err) {
			return strings.Contains(err.Error(), "exceeded quota: "+name), err.Error(), nil
		}
		return false, "", err
	})
}

// WaitAccepted waits until the API server accepts an object that a quota rejected before, as a dry run. Its cache of
// quotas may be older than the quota's status.
func WaitAccepted(t *harness.T, object harness.Object) {
	ginkgo.GinkgoHelper()
	object.SetNamespace(t.Namespace)
	t.Poll("the quota to admit "+describe.Object(object), func(ctx context.Context) (bool, string, error) {
		err := t.TryCreate(ctx, object.DeepCopyObject().(harness.Object))
		if apierrors.IsForbidden(err) {
			return false, err.Error(), nil
		}
		return err == nil, "", err
	})
}

// beginQuota writes the status of an unused quota if nobody else has.
func beginQuota(ctx context.Context, t *harness.T, name string) error {
	quotas := t.Client.CoreV1().ResourceQuotas(t.Namespace)
	quota, err := quotas.Get(ctx, name, metav1.GetOptions{})
	if err != nil || quota.Status.Hard != nil {
		return err
	}
	t.Step("report quota %s as unused, without a controller", name)
	quota.Status = corev1.ResourceQuotaStatus{Hard: quota.Spec.Hard, Used: corev1.ResourceList{}}
	for limited := range quota.Spec.Hard {
		quota.Status.Used[limited] = resource.Quantity{}
	}
	_, err = quotas.UpdateStatus(ctx, quota, metav1.UpdateOptions{})
	if apierrors.IsConflict(err) { // somebody did meanwhile
		return nil
	}
	return err
}

// WaitUsed waits until a ResourceQuota reports exactly these used amounts.
func WaitUsed(t *harness.T, quota string, numbers map[corev1.ResourceName]int64) {
	ginkgo.GinkgoHelper()
	want := corev1.ResourceList{}
	for name, number := range numbers {
		want[name] = *resource.NewQuantity(number, resource.DecimalSI)
	}
	from := await.NewSource(t.Client, &corev1.ResourceQuota{}, t.Client.CoreV1().ResourceQuotas(t.Namespace), await.Named(quota))
	t.Await(fmt.Sprintf("quota %q to report %v as used", quota, numbers), "", func(ctx context.Context, saw func(string)) error {
		return await.Follow(ctx, from, func(q *corev1.ResourceQuota) (bool, error) {
			saw(describeUsed(q.Status.Used))
			return equality.Semantic.DeepEqual(q.Status.Used, want), nil
		})
	})
}

func describeUsed(used corev1.ResourceList) string {
	numbers := map[corev1.ResourceName]int64{}
	for name, quantity := range used {
		numbers[name] = quantity.Value()
	}
	return fmt.Sprint(numbers)
}
