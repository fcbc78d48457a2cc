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

package run

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/framework/spec"
)

// leastToSetAside is the least number of workers of which one is set aside for cases that hold their node: other cases
// need up to two.
const leastToSetAside = 3

// sharesNodes reports whether some cases hold a node while others could run.
func sharesNodes(cases []spec.Meta) bool {
	return slices.ContainsFunc(cases, func(m spec.Meta) bool { return m.HoldsNode }) &&
		slices.ContainsFunc(cases, func(m spec.Meta) bool { return m.SerialBecause == "" })
}

// setNodeAside taints the last worker of a cluster made for this run, so that cases that hold their node can run beside
// others. In other clusters they are serial.
func (r *running) setNodeAside(ctx context.Context) error {
	workers := r.testbed.Target.Workers()
	var running []spec.Meta
	for _, e := range r.plan.Entries {
		if e.Skip == nil {
			running = append(running, e.Meta)
		}
	}
	if !r.testbed.Temporary() || len(workers) < leastToSetAside || !sharesNodes(running) ||
		slices.ContainsFunc(running, func(m spec.Meta) bool { return m.Needs.LeastNodes() >= len(workers) }) {
		return nil
	}
	node := workers[len(workers)-1]
	patch, err := json.Marshal(corev1.Node{Spec: corev1.NodeSpec{Taints: []corev1.Taint{{Key: spec.SetAsideTaint, Effect: corev1.TaintEffectNoSchedule}}}})
	if err == nil {
		_, err = r.testbed.Client.CoreV1().Nodes().Patch(ctx, node, types.StrategicMergePatchType, patch, metav1.PatchOptions{})
	}
	if err != nil {
		return fmt.Errorf("set node %s aside: %w", node, err)
	}
	r.setAside = node
	return nil
}
