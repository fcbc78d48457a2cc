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
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/onsi/ginkgo/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/harness/describe"
	"github.com/dra-conformance/dratest/framework/kube"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Replace deletes the driver's pod on a node, as an update of its DaemonSet does, and waits for the
// next one (see AwaitBack).
func (d *Driver) Replace(node string) {
	ginkgo.GinkgoHelper()
	d.replace(node, func([]corev1.Pod) {})
}

// ReplaceWithoutSlices is Replace that removes the driver's slices while no process of it runs:
// once the old process has ended, although its pod may exist until the next one starts. If the next
// process is running by then, the case is blocked.
func (d *Driver) ReplaceWithoutSlices(node string) {
	ginkgo.GinkgoHelper()
	d.replace(node, func(old []corev1.Pod) {
		isOld := isOneOf(old)
		d.t.Poll("the driver's old processes to have ended", func(ctx context.Context) (bool, string, error) {
			all, err := d.driverPods(ctx)
			run := slices.DeleteFunc(all, func(p corev1.Pod) bool { return !isOld(p) || hasEnded(p) })
			return len(run) == 0, fmt.Sprintf("%d pod(s) of the driver still run", len(run)), err
		})
		d.RemoveSlices(node)
		if slices.ContainsFunc(d.pods(d.t.Context(), node), func(p corev1.Pod) bool { return !isOld(p) && hasStarted(p) }) {
			d.t.SetBlocked("the driver ran again before its slices were removed")
			d.t.Fatalf("the driver's next pod on %s ran before its slices were removed", node)
		}
	})
}

// hasEnded is whether all containers of a deleted pod have terminated.
func hasEnded(p corev1.Pod) bool {
	containers := slices.Concat(p.Status.InitContainerStatuses, p.Status.ContainerStatuses)
	return p.DeletionTimestamp != nil && len(containers) > 0 &&
		!slices.ContainsFunc(containers, func(c corev1.ContainerStatus) bool { return c.State.Terminated == nil })
}

func hasStarted(p corev1.Pod) bool {
	containers := slices.Concat(p.Status.InitContainerStatuses, p.Status.ContainerStatuses)
	return slices.ContainsFunc(containers, func(c corev1.ContainerStatus) bool { return c.State.Running != nil })
}

func isOneOf(pods []corev1.Pod) func(corev1.Pod) bool {
	return func(p corev1.Pod) bool {
		return slices.ContainsFunc(pods, func(o corev1.Pod) bool { return o.UID == p.UID })
	}
}

// replace calls between after the deletion of a node's pod, and then waits for the next pod.
func (d *Driver) replace(node string, between func(old []corev1.Pod)) {
	ginkgo.GinkgoHelper()
	d.t.Step("replace the driver's pod on %s", node)
	d.endsDriver(node)
	old := d.pods(d.t.Context(), node)
	for _, p := range old {
		d.t.NoError(d.t.Client.CoreV1().Pods(p.Namespace).Delete(d.t.Context(), p.Name, metav1.DeleteOptions{}), "delete the driver's pod %s", p.Name)
	}
	between(old)
	d.awaitPods(node, "a new pod of the driver", func(p corev1.Pod) bool { return !isOneOf(old)(p) })
	d.AwaitBack(node)
}

// Kill kills the driver's process on a node, and does not wait for its restart.
func (d *Driver) Kill(node string) {
	ginkgo.GinkgoHelper()
	d.t.Step("kill the driver's process on %s", node)
	d.endsDriver(node)
	_, err := d.t.Env().Agents.KillPlugin(d.t.Context(), &agentapi.DriverRequest{Node: node, Driver: d.spec.Driver})
	if err != nil {
		d.t.SetBlocked("the driver's process could not be killed")
	}
	d.t.NoError(err, "kill driver %s", d.spec.Driver)
}

// AwaitBack waits until the driver's pod on a node is ready and its pools are complete.
func (d *Driver) AwaitBack(node string) {
	ginkgo.GinkgoHelper()
	d.awaitPods(node, "the driver's pod", func(corev1.Pod) bool { return true })
	d.awaitPublished(node)
}

// pods are the driver's pods on a node.
func (d *Driver) pods(ctx context.Context, node string) []corev1.Pod {
	ginkgo.GinkgoHelper()
	all, err := d.driverPods(ctx)
	d.t.NoError(err, "list the driver's pods")
	return slices.DeleteFunc(all, func(p corev1.Pod) bool { return p.Spec.NodeName != node })
}

// awaitPods waits until the driver has pods on a node, all of them are ready, and is holds for
// each.
func (d *Driver) awaitPods(node, what string, is func(corev1.Pod) bool) {
	ginkgo.GinkgoHelper()
	d.t.Poll(fmt.Sprintf("%s on %s to be ready", what, node), func(ctx context.Context) (bool, string, error) {
		all, err := d.driverPods(ctx)
		if err != nil {
			return false, "", err
		}
		n := 0
		for _, p := range all {
			if p.Spec.NodeName != node {
				continue
			}
			if !is(p) || !ready(p) {
				return false, describe.Pod(&p), nil
			}
			n++
		}
		return n > 0, fmt.Sprintf("%d pod(s)", n), nil
	})
}

func ready(p corev1.Pod) bool { return p.DeletionTimestamp == nil && kube.PodReady(&p) }

// Sockets are those on a node with the driver's name in their path, below the kubelet's root
// directory.
func (d *Driver) Sockets(node string) []string {
	ginkgo.GinkgoHelper()
	files, err := agentapi.ReadEvidence(d.t.Context(), d.t.Env().Agents, node, time.Now())
	if _, ok := files["sockets"]; !ok {
		d.t.NoError(errors.Join(err, errors.New("the node shows no sockets")), "look for sockets on %s", node)
	}
	return socketsOf(d.spec.Driver, files)
}

// socketsOf are a driver's sockets in the evidence of a node.
func socketsOf(driver string, files map[string][]byte) []string {
	return slices.DeleteFunc(strings.Fields(string(files["sockets"])), func(socket string) bool { return !spec.Names(driver, socket) })
}
