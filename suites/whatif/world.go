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

package whatif

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/whatif"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// needs are those of all cases, with these features.
func needs(features ...spec.Feature) spec.Needs {
	return spec.Needs{NoKubelet: true, Companions: []spec.Companion{whatif.Companion}, Features: features}
}

// equal creates n equal pods "kind-0", "kind-1", each with a claim like this one, made from a template. change may be
// nil.
func equal(t *harness.T, kind string, n int, claim *resourceapi.ResourceClaim, change func(*corev1.PodSpec)) {
	t.Create(objects.Template(kind, claim))
	for i := range n {
		wait(t, objects.PodFromTemplate(fmt.Sprintf("%s-%d", kind, i), t.Image, kind), change)
	}
}

// wait creates a pod for added nodes only.
func wait(t *harness.T, pod *corev1.Pod, change func(*corev1.PodSpec)) {
	whatif.OnAdded(t, &pod.Spec)
	if change != nil {
		change(&pod.Spec)
	}
	t.Create(pod)
}

// kindOf returns a pod's name without its number.
func kindOf(pod string) string { return pod[:strings.LastIndex(pod, "-")] }

// unserved counts the pods predicted to have no node, by kind.
func unserved(growth spec.Growth) map[string]int {
	counts := map[string]int{}
	for _, p := range growth.Pods {
		if p.Node == "" {
			counts[kindOf(p.Name)]++
		}
	}
	return counts
}

// expectTrue predicts the nodes of groups needed by the case's pods. With one node less, the number of
// waiting pods of each kind must be as predicted; with all nodes, it must be zero.
func expectTrue(t *harness.T, groups ...spec.NodeGroup) {
	waitClaims(t)
	predicted := whatif.Grow(t, groups...)
	t.Expect(unserved(predicted)).To(gomega.BeEmpty(), "pods not served by any node")
	less, last := oneLess(t, predicted, groups)
	fewer := whatif.Grow(t, less...)
	stay := unserved(fewer)
	t.Expect(stay).NotTo(gomega.BeEmpty(), "pods not served with one node less")

	for i := range predicted.Groups {
		for _, name := range predicted.Groups[i].Nodes {
			if name != last {
				whatif.AddNode(t, groups[i], name)
			}
		}
	}
	expectStay(t, stay)
	whatif.AddNode(t, groups[groupOf(predicted, last)], last)
	waitScheduled(t, nil)
	expectLeft(t, predicted)
}

// oneLess returns the groups without the last predicted node, and this node's name.
func oneLess(t *harness.T, predicted spec.Growth, groups []spec.NodeGroup) (less []spec.NodeGroup, last string) {
	for i, g := range slices.Backward(predicted.Groups) {
		limited := groups[i]
		limited.Max = g.Count
		if last == "" && g.Count > 0 {
			limited.Max, last = g.Count-1, g.Nodes[g.Count-1]
		}
		if limited.Max > 0 {
			less = append(less, limited)
		}
	}
	slices.Reverse(less)
	t.Expect(less).NotTo(gomega.BeEmpty(), "groups with one node less: the case has to need two")
	return less, last
}

func groupOf(predicted spec.Growth, node string) int {
	return slices.IndexFunc(predicted.Groups, func(g spec.GrownGroup) bool { return slices.Contains(g.Nodes, node) })
}

// pods returns those of the case, by name.
func pods(ctx context.Context, t *harness.T) ([]corev1.Pod, error) {
	list, err := t.Client.CoreV1().Pods(t.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(list.Items, func(a, b corev1.Pod) int { return strings.Compare(a.Name, b.Name) })
	return list.Items, nil
}

// waitClaims waits until the claims of all pods exist.
func waitClaims(t *harness.T) {
	t.Poll("claims to be made", func(ctx context.Context) (bool, string, error) {
		all, err := pods(ctx, t)
		for _, p := range all {
			if made := len(p.Status.ResourceClaimStatuses); made < len(p.Spec.ResourceClaims) && p.Spec.ResourceClaims[0].ResourceClaimTemplateName != nil {
				return false, fmt.Sprintf("pod %s has %d", p.Name, made), err
			}
		}
		return true, fmt.Sprintf("those of %d pods are", len(all)), err
	})
}

// waitScheduled waits until all pods have a node except the given number of each kind, and returns a
// waiting pod of each such kind.
func waitScheduled(t *harness.T, stay map[string]int) (waiting map[string]corev1.Pod) {
	t.Poll(fmt.Sprintf("all pods to have a node, but for %v", stay), func(ctx context.Context) (bool, string, error) {
		all, err := pods(ctx, t)
		left := map[string]int{}
		waiting = map[string]corev1.Pod{}
		for _, p := range all {
			if p.Spec.NodeName == "" {
				left[kindOf(p.Name)]++
				waiting[kindOf(p.Name)] = p
			}
		}
		return maps.Equal(left, stay), fmt.Sprintf("of %d pods there wait %v", len(all), left), err
	})
	return waiting
}

// expectStay expects this many pods of each kind without a node. The scheduler must have no room for
// one more either, tried while these wait.
func expectStay(t *harness.T, stay map[string]int) {
	for kind, pod := range waitScheduled(t, stay) {
		probe := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: kind + "-probe"}, Spec: *pod.Spec.DeepCopy()}
		t.Create(probe)
		t.WaitUnschedulable(probe.Name, "nodes are available")
		t.RemovePod(probe.Name)
	}
	waitScheduled(t, stay)
}

// expectLeft expects the predicted number of free devices on the new nodes.
func expectLeft(t *harness.T, predicted spec.Growth) {
	slicesOf, err := t.Client.ResourceV1().ResourceSlices().List(t.Context(), metav1.ListOptions{FieldSelector: "spec.driver=" + t.DriverName()})
	t.NoError(err, "list slices")
	type device struct{ pool, name string }
	free := map[device]bool{}
	for _, s := range slicesOf.Items {
		for _, d := range s.Spec.Devices {
			free[device{s.Spec.Pool.Name, d.Name}] = true
		}
	}
	for _, c := range t.Claims() {
		if c.Status.Allocation == nil {
			continue
		}
		for _, r := range c.Status.Allocation.Devices.Results {
			if r.AdminAccess == nil || !*r.AdminAccess {
				delete(free, device{r.Pool, r.Device})
			}
		}
	}
	left := 0
	for _, g := range predicted.Groups {
		left += g.Left
	}
	t.Expect(free).To(gomega.HaveLen(left), "free devices of the new nodes, as predicted")
}
