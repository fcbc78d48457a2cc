package scheduler

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
)

// PreEnqueue keeps a pod out of the queue for as long as its claims are missing.
func (pl *Plugin) PreEnqueue(ctx context.Context, pod *v1.Pod) *fwk.Status {
	if _, err := pl.claimsOf(pod); err != nil {
		return unschedulable(klog.FromContext(ctx), err.Error(), "pod", klog.KObj(pod))
	}
	return nil
}
