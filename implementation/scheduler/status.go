package scheduler

import (
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
)

// unschedulable rejects a pod, or a node for it. Evicting pods does not help pods
// that wait for devices, so that the status always is "and unresolvable", which
// saves preemption the attempt.
func unschedulable(logger klog.Logger, reason string, keysAndValues ...any) *fwk.Status {
	if v := logger.V(5); v.Enabled() {
		v.WithCallDepth(1).Info("Pod is unschedulable", append(keysAndValues, "reason", reason)...)
	}
	return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, reason)
}

// failed aborts the attempt to schedule a pod. It is retried after a backoff.
func failed(logger klog.Logger, err error, keysAndValues ...any) *fwk.Status {
	if v := logger.V(5); v.Enabled() {
		v.WithCallDepth(1).Info("Attempt failed", append(keysAndValues, "err", err)...)
	}
	return fwk.AsStatus(err)
}
