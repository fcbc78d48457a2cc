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

package undertest

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/onsi/ginkgo/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// aloneTimeout bounds one look at the driver's pods.
const aloneTimeout = 10 * time.Second

// restarted returns the restarted and missing pods.
func restarted(before, after []corev1.Pod) []string {
	count := func(p corev1.Pod) (n int32) {
		for _, c := range p.Status.ContainerStatuses {
			n += c.RestartCount
		}
		return n
	}
	now := map[types.UID]corev1.Pod{}
	for _, p := range after {
		now[p.UID] = p
	}
	var problems []string
	for _, was := range before {
		is, there := now[was.UID]
		switch n := count(is) - count(was); {
		case !there:
			problems = append(problems, fmt.Sprintf("pod %s/%s on node %s is gone", was.Namespace, was.Name, was.Spec.NodeName))
		case n > 0:
			problems = append(problems, fmt.Sprintf("pod %s/%s on node %s was restarted %d time(s)", was.Namespace, was.Name, was.Spec.NodeName, n))
		}
	}
	slices.Sort(problems)
	return problems
}

// endsDriver excuses a restart of the driver on a node: the case causes it.
func (d *Driver) endsDriver(node string) { d.ended = append(d.ended, node) }

// endAll is endsDriver for all nodes, and returns the UIDs of the pods.
func (d *Driver) endAll() map[types.UID]bool {
	ginkgo.GinkgoHelper()
	pods, err := d.driverPods(d.t.Context())
	d.t.NoError(err, "list the driver's pods")
	old := map[types.UID]bool{}
	for _, p := range pods {
		old[p.UID] = true
		d.endsDriver(p.Spec.NodeName)
	}
	for _, node := range d.spec.Nodes {
		d.endsDriver(node)
	}
	return old
}

// leftAlone are the driver's pods on nodes where the case ends nothing. A case that restarts nodes
// or the control plane leaves none alone.
func (d *Driver) leftAlone(pods []corev1.Pod) []corev1.Pod {
	if d.t.Meta().Needs.Restarts != "" {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(pods), func(p corev1.Pod) bool { return slices.Contains(d.ended, p.Spec.NodeName) })
}

// expectAlone fails the case if another pod of the driver was restarted.
func (d *Driver) expectAlone(ctx context.Context) {
	before := d.leftAlone(d.podsBefore)
	if len(before) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, aloneTimeout)
	defer cancel()
	pods, err := d.driverPods(ctx)
	d.t.NoError(err, "look at the driver's pods")
	if problems := restarted(before, pods); len(problems) > 0 {
		d.t.Fatalf("the driver did not run through: %v", problems)
	}
}
