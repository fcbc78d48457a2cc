package probe

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/dra-conformance/dratest/framework/spec"
)

// bindingTimeout is what the schedulers' pods say about their configuration, the
// longest time if there are several; zero if they say nothing or cannot be seen.
func bindingTimeout(schedulers []corev1.Pod) time.Duration {
	longest := time.Duration(0)
	for _, pod := range schedulers {
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
