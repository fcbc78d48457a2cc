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
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/dra-conformance/dratest/implementation/classic/classicplan"
)

// Filter checks that a pod's allocated claims are usable on a node and, as far as known, the others
// can be allocated for it.
func (pl *Plugin) Filter(ctx context.Context, cycle fwk.CycleState, pod *v1.Pod, nodeInfo fwk.NodeInfo) *fwk.Status {
	a := attemptOf(cycle)
	if a == nil {
		return nil
	}
	stuck, why := classicplan.Fits(a.places, a.excluded, nodeInfo.Node())
	if why != "" {
		return unschedulable(klog.FromContext(ctx), why, pod)
	}
	if len(stuck) > 0 {
		a.markStuck(stuck)
		return unschedulable(klog.FromContext(ctx), "resource claim is allocated elsewhere", pod)
	}
	return nil
}

// PreScore records the fitting nodes; it is not called for a single node.
func (pl *Plugin) PreScore(_ context.Context, cycle fwk.CycleState, pod *v1.Pod, nodes []fwk.NodeInfo) *fwk.Status {
	a := attemptOf(cycle)
	if a == nil || len(a.negotiation.Pending) == 0 {
		return fwk.NewStatus(fwk.Skip)
	}
	a.selected = pl.cluster.selected(pod.UID)
	a.fitting = make([]string, 0, len(nodes))
	for _, node := range nodes {
		a.fitting = append(a.fitting, node.Node().Name)
	}
	return nil
}
