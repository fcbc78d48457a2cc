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
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
)

// leastToSetAside is the minimum number of workers for setting one aside: cases need up to two.
const leastToSetAside = 3

// open opens the testbed. If some cases hold a node while others could run, a cluster created for the run gets a third
// worker, unless the machine has no room for it.
func (r *running) open(ctx context.Context, chosen []spec.Meta) (err error) {
	c := r.options.Config
	if c.Cluster.Workers == nil && c.Cluster.Provider != clusters.ProviderControlPlane && !c.Existing() && !c.Keep && r.sharesNodes(chosen) {
		c.Cluster.Workers = new(leastToSetAside)
		r.testbed, err = testbed.Open(ctx, r.parts.Parts, c)
		if !errors.Is(err, clusters.ErrEnvironment) {
			return err
		}
		c.Cluster.Workers = nil
	}
	r.testbed, err = testbed.Open(ctx, r.parts.Parts, c)
	return err
}

// sharesNodes reports whether some cases hold a node while others could run.
func (r *running) sharesNodes(cases []spec.Meta) bool {
	return r.options.Parallel > 1 &&
		slices.ContainsFunc(cases, func(m spec.Meta) bool { return m.HoldsNode }) &&
		slices.ContainsFunc(cases, func(m spec.Meta) bool { return m.SerialBecause == "" })
}

// setNodeAside taints the last worker of a cluster made for this run, so that cases that hold their node can run beside
// others. In other clusters they are serial, and if the template of all pods tolerates the taint.
func (r *running) setNodeAside(ctx context.Context) error {
	var running []spec.Meta
	for _, e := range r.plan.Entries {
		if e.Skip == nil {
			running = append(running, e.Meta)
		}
	}
	if !r.testbed.Temporary() || !r.sharesNodes(running) {
		return nil
	}
	taint := corev1.Taint{Key: spec.SetAsideTaint, Effect: corev1.TaintEffectNoSchedule}
	template, err := objects.TemplateSpec(r.options.PodTemplate)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(template.Tolerations, func(by corev1.Toleration) bool { return by.ToleratesTaint(klog.Background(), &taint, false) }) {
		return nil
	}
	node := withoutLast(r.plan, r.testbed.Target.Workers())
	if node == "" {
		return nil
	}
	patch, err := json.Marshal(corev1.Node{Spec: corev1.NodeSpec{Taints: []corev1.Taint{taint}}})
	if err == nil {
		_, err = r.testbed.Client.CoreV1().Nodes().Patch(ctx, node, types.StrategicMergePatchType, patch, metav1.PatchOptions{})
	}
	if err != nil {
		return fmt.Errorf("set node %s aside: %w", node, err)
	}
	r.setAside = node
	return nil
}

// withoutLast returns the last worker, or empty if the cases of a plan cannot do without it. Cases with companions test
// programs of dratest, so no cluster has to pass them: those that need all workers are skipped.
func withoutLast(p spec.Plan, workers []string) string {
	needsAll := func(e spec.Entry) bool { return e.Skip == nil && e.Meta.Needs.LeastNodes() >= len(workers) }
	if len(workers) < leastToSetAside || slices.ContainsFunc(p.Entries, func(e spec.Entry) bool { return needsAll(e) && len(e.Meta.Needs.Companions) == 0 }) {
		return ""
	}
	for i, e := range p.Entries {
		if needsAll(e) {
			p.Entries[i].Skip = &spec.Skip{Code: spec.SkipNodes, Text: fmt.Sprintf("needs %d nodes, and one of %d is set aside for cases that restart kubelets", e.Meta.Needs.LeastNodes(), len(workers))}
		}
	}
	return workers[len(workers)-1]
}
