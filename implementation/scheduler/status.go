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

package scheduler

import (
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
)

// unschedulable rejects a pod or a node. Preemption does not free devices, so the status is always
// "unschedulable and unresolvable" to skip it.
func unschedulable(logger klog.Logger, reason string, keysAndValues ...any) *fwk.Status {
	if v := logger.V(5); v.Enabled() {
		v.WithCallDepth(1).Info("Pod is unschedulable", append(keysAndValues, "reason", reason)...)
	}
	return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, reason)
}

// failed aborts the scheduling attempt. The pod is retried after a backoff.
func failed(logger klog.Logger, err error, keysAndValues ...any) *fwk.Status {
	if v := logger.V(5); v.Enabled() {
		v.WithCallDepth(1).Info("Attempt failed", append(keysAndValues, "err", err)...)
	}
	return fwk.AsStatus(err)
}
