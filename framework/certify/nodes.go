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

package certify

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/klog/v2"

	"github.com/dra-conformance/dratest/drivers/declarations"
	"github.com/dra-conformance/dratest/framework/pools"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
)

// tolerate adds the nodes with tolerated taints to the target's workers, and returns why other nodes are not used.
func tolerate(ctx context.Context, b *testbed.Testbed, d declarations.Declaration) (leftOut map[string]string, err error) {
	list, err := b.Client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list nodes: %w", err)
	}
	template, err := templateOf(d)
	if err != nil {
		return nil, err
	}
	nodes := map[string]corev1.Node{}
	for _, n := range list.Items {
		nodes[n.Name] = n
	}
	leftOut = map[string]string{}
	for i := range b.Target.Nodes {
		n := &b.Target.Nodes[i]
		why := whyUnused(*n, nodes[n.Name], d, template)
		if why != "" {
			leftOut[n.Name] = why
			continue
		}
		n.Schedulable = true
	}
	return leftOut, nil
}

func templateOf(d declarations.Declaration) (template corev1.PodSpec, err error) {
	data, err := json.Marshal(d.Workload.Template)
	if err == nil {
		err = json.Unmarshal(data, &template)
	}
	if err != nil {
		return template, fmt.Errorf("%w: workload.template: %w", ErrDeclaration, err)
	}
	return template, nil
}

// whyUnused returns why pods of cases cannot run on a node; empty if they can.
func whyUnused(n spec.Node, is corev1.Node, d declarations.Declaration, template corev1.PodSpec) string {
	ready := slices.ContainsFunc(is.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
	})
	switch {
	case n.Simulated:
		return "simulated, without containers"
	case n.OS != "linux":
		return "its operating system is " + n.OS
	case !labels.SelectorFromSet(d.Nodes.Selector).Matches(labels.Set(is.Labels)):
		return "not selected by nodes.selector"
	case !labels.SelectorFromSet(template.NodeSelector).Matches(labels.Set(is.Labels)):
		return "not selected by nodeSelector of workload.template"
	case !n.Schedulable && !ready:
		return "not ready"
	case is.Spec.Unschedulable:
		return "cordoned"
	}
	for _, t := range is.Spec.Taints {
		tolerated := slices.ContainsFunc(template.Tolerations, func(by corev1.Toleration) bool { return by.ToleratesTaint(klog.Background(), &t, false) })
		if t.Effect != corev1.TaintEffectPreferNoSchedule && !tolerated {
			return fmt.Sprintf("workload.template does not tolerate its taint %s", t.ToString())
		}
	}
	return ""
}

// nodesLeftOut has a line per reason.
func (w world) nodesLeftOut() (lines []string) {
	names := map[string][]string{}
	for _, node := range slices.Sorted(maps.Keys(w.leftOut)) {
		names[w.leftOut[node]] = append(names[w.leftOut[node]], node)
	}
	for _, why := range slices.Sorted(maps.Keys(names)) {
		lines = append(lines, fmt.Sprintf("node %s: %s", strings.Join(names[why], ", "), why))
	}
	return lines
}

// hidden has a line for each unused node with devices of the driver.
func (w world) hidden(d declarations.Declaration) (lines []string) {
	for _, device := range pools.Devices(d.Driver, w.slices, w.claims) {
		if why := w.leftOut[device.Node]; why != "" {
			lines = append(lines, fmt.Sprintf("node %s: %s", device.Node, why))
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}
