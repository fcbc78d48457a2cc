package harness

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/onsi/ginkgo/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/e2e-framework/klient/k8s"
)

// CreateQuota creates a ResourceQuota and waits until the API server refuses
// beyond, which is more than the quota allows and is created with dry run only.
// Nothing in the namespace counts for the quota before.
//
// It says itself that nothing is used, as kube-controller-manager does a moment
// later: until then the API server refuses all, and an API server alone has none.
//
// The API server counts what is created from a cache of quotas. What is created
// before that has the new quota is not counted until kube-controller-manager counts
// anew, five minutes later (plugin/resourcequota/resource_access.go, GetQuotas);
// that the quota's status is there does not show that the cache has it.
func (t *T) CreateQuota(name string, hard corev1.ResourceList, beyond k8s.Object) {
	ginkgo.GinkgoHelper()
	t.Create(&corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.ResourceQuotaSpec{Hard: hard}})
	none := corev1.ResourceList{}
	for limited := range hard {
		none[limited] = resource.Quantity{}
	}
	status, err := json.Marshal(corev1.ResourceQuota{Status: corev1.ResourceQuotaStatus{Hard: hard, Used: none}})
	t.NoError(err, "encode the status of quota %s", name)
	_, err = t.Client.CoreV1().ResourceQuotas(t.Namespace).Patch(t.ctx, name, types.MergePatchType, status, metav1.PatchOptions{}, "status")
	t.NoError(err, "say that nothing of quota %s is used", name)
	t.own(beyond)
	t.Poll(fmt.Sprintf("quota %s to refuse %s", name, describe(beyond)), func(ctx context.Context) (bool, string, error) {
		attempt := beyond.DeepCopyObject().(k8s.Object)
		err := t.objects.Create(ctx, attempt, func(o *metav1.CreateOptions) { o.DryRun = []string{metav1.DryRunAll} })
		if err == nil {
			return false, "it was accepted", nil
		}
		if apierrors.IsForbidden(err) {
			return strings.Contains(err.Error(), "exceeded quota: "+name), err.Error(), nil
		}
		return false, "", err
	})
}

// WaitUsed waits until a ResourceQuota of the case says that exactly these numbers
// are used of what it limits.
func (t *T) WaitUsed(quota string, numbers map[corev1.ResourceName]int64) {
	ginkgo.GinkgoHelper()
	t.Step("wait for quota %s to say that %v are used", quota, numbers)
	want := corev1.ResourceList{}
	for name, number := range numbers {
		want[name] = *resource.NewQuantity(number, resource.DecimalSI)
	}
	seen := "nothing"
	from := newSource(t.Client, &corev1.ResourceQuota{}, t.Client.CoreV1().ResourceQuotas(t.Namespace), named(quota))
	err := follow(t.ctx, from, func(q *corev1.ResourceQuota) (bool, error) {
		seen = describeUsed(q.Status.Used)
		return equality.Semantic.DeepEqual(q.Status.Used, want), nil
	})
	if err != nil {
		t.Fatalf("wait for quota %s to say that %v are used: %v\nlast seen: %s", quota, numbers, err, seen)
	}
}

func describeUsed(used corev1.ResourceList) string {
	numbers := map[corev1.ResourceName]int64{}
	for name, quantity := range used {
		numbers[name] = quantity.Value()
	}
	return fmt.Sprint(numbers)
}
