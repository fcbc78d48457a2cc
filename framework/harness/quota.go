package harness

import (
	"fmt"

	"github.com/onsi/ginkgo/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
)

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
