package probe

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/dra-conformance/dratest/framework/spec"
)

// bindingTimeout is what the schedulers' pods say about their configuration, the
// longest time if there are several; zero if they say nothing or cannot be seen.
func bindingTimeout(ctx context.Context, client kubernetes.Interface) time.Duration {
	pods, err := client.CoreV1().Pods(metav1.NamespaceSystem).List(ctx, metav1.ListOptions{LabelSelector: "component=kube-scheduler"})
	if err != nil {
		return 0
	}
	longest := time.Duration(0)
	for _, pod := range pods.Items {
		if pod.Labels["component"] != "kube-scheduler" || len(pod.Spec.Containers) == 0 {
			continue
		}
		told := time.Duration(0)
		for _, e := range pod.Spec.Containers[0].Env {
			if e.Name == spec.EnvBindingTimeout {
				told, _ = time.ParseDuration(e.Value) // nonsense tells nothing
			}
		}
		if told <= 0 {
			return 0
		}
		longest = max(longest, told)
	}
	return longest
}
