package clusters

import (
	"cmp"

	corev1 "k8s.io/api/core/v1"
)

// NotReady is why pods cannot be scheduled on a node yet, or empty. The taint for a
// kubelet that was not ready, or away, stays for a moment after it has said that it is.
func NotReady(n *corev1.Node) string {
	for _, c := range n.Status.Conditions {
		if c.Type == corev1.NodeReady && c.Status != corev1.ConditionTrue {
			return cmp.Or(c.Message, c.Reason, "condition Ready is "+string(c.Status))
		}
	}
	for _, t := range n.Spec.Taints {
		if t.Key == corev1.TaintNodeNotReady || t.Key == corev1.TaintNodeUnreachable {
			return "taint " + t.Key
		}
	}
	return ""
}
