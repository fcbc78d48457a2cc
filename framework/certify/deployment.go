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
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"
	"k8s.io/utils/ptr"
)

// deployment returns warnings about a driver's daemon set on its nodes. They do not affect the verdict.
func deployment(ctx context.Context, client kubernetes.Interface, set *appsv1.DaemonSet, names []string) ([]string, error) {
	if set == nil {
		return nil, nil
	}
	list, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list nodes: %w", err)
	}
	nodes := slices.DeleteFunc(list.Items, func(n corev1.Node) bool { return !slices.Contains(names, n.Name) })
	var warnings []string
	for _, w := range slices.Concat(surgeWarnings(set), tolerationWarnings(set, nodes), priorityWarnings(set)) {
		warnings = append(warnings, fmt.Sprintf("warning: daemon set %s/%s: %s", set.Namespace, set.Name, w))
	}
	return warnings, nil
}

func surgeWarnings(set *appsv1.DaemonSet) []string {
	unready := !slices.ContainsFunc(set.Spec.Template.Spec.Containers, func(c corev1.Container) bool { return c.ReadinessProbe != nil })
	if !surges(set) || !unready || set.Spec.MinReadySeconds > 0 {
		return nil
	}
	return []string{"maxSurge without readinessProbe or minReadySeconds: an update ends the old pod before the new one has registered with the kubelet"}
}

// tolerationWarnings warns of taints added after the driver's pods were started.
func tolerationWarnings(set *appsv1.DaemonSet, nodes []corev1.Node) (warnings []string) {
	untolerated := map[string][]string{}
	for _, n := range nodes {
		for _, t := range n.Spec.Taints {
			tolerated := slices.ContainsFunc(set.Spec.Template.Spec.Tolerations, func(by corev1.Toleration) bool { return by.ToleratesTaint(klog.Background(), &t, false) })
			// Daemon sets always tolerate node lifecycle taints.
			if t.Effect != corev1.TaintEffectPreferNoSchedule && !tolerated && !strings.HasPrefix(t.Key, "node.kubernetes.io/") {
				untolerated[t.ToString()] = append(untolerated[t.ToString()], n.Name)
			}
		}
	}
	for taint, on := range untolerated {
		warnings = append(warnings, fmt.Sprintf("no toleration for taint %s of node %s: its next pod is not started there", taint, strings.Join(on, ", ")))
	}
	slices.Sort(warnings)
	return warnings
}

func priorityWarnings(set *appsv1.DaemonSet) []string {
	if p := set.Spec.Template.Spec; p.PriorityClassName != "" || ptr.Deref(p.Priority, 0) > 0 {
		return nil
	}
	return []string{"no priorityClassName: a full node evicts or rejects the driver like any other pod; system-node-critical is customary"}
}
