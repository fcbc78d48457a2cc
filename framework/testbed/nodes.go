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

package testbed

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/klog/v2"

	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Tolerate adds nodes with taints tolerated by a pod template to the target's workers. It returns
// why other nodes are not used, by name.
func (b *Testbed) Tolerate(ctx context.Context, selector map[string]string, template map[string]any) (leftOut map[string]string, err error) {
	list, err := b.Client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list nodes: %w", err)
	}
	of, err := objects.TemplateSpec(template)
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
		if why := whyUnused(*n, nodes[n.Name], selector, of); why != "" {
			leftOut[n.Name] = why
			continue
		}
		n.Schedulable = true
	}
	return leftOut, nil
}

// fit limits the workers to the nodes for pods with the template of all pods, if any.
func (b *Testbed) fit(ctx context.Context) error {
	if len(b.podTemplate) == 0 {
		return nil
	}
	leftOut, err := b.Tolerate(ctx, nil, b.podTemplate)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(leftOut)) {
		b.Progress.Printf("  -- node %s is not used: %s", name, leftOut[name])
	}
	for i := range b.Target.Nodes {
		if n := &b.Target.Nodes[i]; leftOut[n.Name] != "" {
			n.Schedulable = false
		}
	}
	return nil
}

// noWorker explains a cluster without workers: why no node is used, and what to do about taints.
func (b *Testbed) noWorker(ctx context.Context) error {
	if len(b.Target.Workers()) > 0 {
		return nil
	}
	leftOut, err := b.Tolerate(ctx, nil, b.podTemplate)
	errs := []error{err}
	tainted := false
	for _, name := range slices.Sorted(maps.Keys(leftOut)) {
		errs = append(errs, fmt.Errorf("  node %s: %s", name, leftOut[name]))
		tainted = tainted || strings.HasPrefix(leftOut[name], untolerated)
	}
	if tainted {
		errs = append(errs, errors.New("tolerate the taint of the nodes with devices, with workload.template in driver.yaml or --pod-template"))
	}
	return errors.Join(errs...)
}

// untolerated is the reason for a node with a taint.
const untolerated = "the pod template does not tolerate its taint "

// whyUnused returns why pods of cases cannot run on a node; empty if they can.
func whyUnused(n spec.Node, is corev1.Node, selector map[string]string, template corev1.PodSpec) string {
	ready := slices.ContainsFunc(is.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
	})
	switch {
	case n.Simulated:
		return "simulated, without containers"
	case n.OS != "linux":
		return "its operating system is " + n.OS
	case !labels.SelectorFromSet(selector).Matches(labels.Set(is.Labels)):
		return "not selected by nodes.selector"
	case !labels.SelectorFromSet(template.NodeSelector).Matches(labels.Set(is.Labels)):
		return "not selected by nodeSelector of the pod template"
	case !n.Schedulable && !ready:
		return "not ready"
	case is.Spec.Unschedulable:
		return "cordoned"
	}
	for _, t := range is.Spec.Taints {
		tolerated := slices.ContainsFunc(template.Tolerations, func(by corev1.Toleration) bool { return by.ToleratesTaint(klog.Background(), &t, false) })
		if t.Effect != corev1.TaintEffectPreferNoSchedule && !tolerated {
			return untolerated + t.ToString()
		}
	}
	return ""
}
