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

package harness

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
	"github.com/dra-conformance/dratest/framework/pools"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Installed is the driver under test as its vendor has installed it. Cases that use it say
// Needs.Installed.
type Installed struct {
	t       *T
	subject spec.Subject
	// before are the CDI files of nodes as the case began, by their paths.
	before map[string]map[string][]byte
	// previous, broken and gone are what hooks have done to the driver and not undone.
	previous, broken, gone bool
}

// Installed is the driver under test as its vendor has installed it.
func (t *T) Installed() *Installed {
	ginkgo.GinkgoHelper()
	if t.env.Plan.Target.Subject == nil {
		t.SetBlocked("the driver cannot be reached")
		t.Fatalf("there is no driver that its vendor has installed")
	}
	i := &Installed{t: t, subject: *t.env.Plan.Target.Subject, before: map[string]map[string][]byte{}}
	for _, node := range i.subject.Nodes {
		i.before[node] = i.specs(node)
	}
	return i
}

// Replace deletes the driver's pod on a node, as an update of its DaemonSet does, and waits
// for the next one (see AwaitBack).
func (i *Installed) Replace(node string) {
	ginkgo.GinkgoHelper()
	i.replace(node, func([]corev1.Pod) {})
}

// ReplaceWithoutSlices is Replace, with the driver's slices removed while no process of it
// runs there: once the old one has ended, also if its pod is still there, as it mostly is
// until the next one comes. The case is blocked if that is said to run by then.
func (i *Installed) ReplaceWithoutSlices(node string) {
	ginkgo.GinkgoHelper()
	i.replace(node, func(old []corev1.Pod) {
		isOld := isOneOf(old)
		i.t.Poll("the driver's old processes to have ended", func(ctx context.Context) (bool, string, error) {
			all, err := i.t.driverPods(ctx)
			run := slices.DeleteFunc(all, func(p corev1.Pod) bool { return !isOld(p) || hasEnded(p) })
			return len(run) == 0, fmt.Sprintf("%d pod(s) of the driver still run", len(run)), err
		})
		i.RemoveSlices(node)
		if slices.ContainsFunc(i.pods(i.t.ctx, node), func(p corev1.Pod) bool { return !isOld(p) && hasStarted(p) }) {
			i.t.SetBlocked("the driver ran again before its slices were removed")
			i.t.Fatalf("the driver's next pod on %s ran before its slices were removed", node)
		}
	})
}

// hasEnded is whether none of a pod's containers runs any more, although the pod may be there.
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

// replace does something between the end of a pod of the driver and the wait for the next.
func (i *Installed) replace(node string, between func(old []corev1.Pod)) {
	ginkgo.GinkgoHelper()
	i.t.Step("replace the driver's pod on %s", node)
	i.t.endsDriver(node)
	old := i.pods(i.t.ctx, node)
	for _, p := range old {
		i.t.NoError(i.t.Client.CoreV1().Pods(p.Namespace).Delete(i.t.ctx, p.Name, metav1.DeleteOptions{}), "delete the driver's pod %s", p.Name)
	}
	between(old)
	i.awaitPods(node, "a new pod of the driver", func(p corev1.Pod) bool { return !isOneOf(old)(p) })
	i.AwaitBack(node)
}

// Kill kills the driver's process on a node, and does not wait for what comes then.
func (i *Installed) Kill(node string) {
	ginkgo.GinkgoHelper()
	i.t.Step("kill the driver's process on %s", node)
	i.t.endsDriver(node)
	_, err := i.t.env.Agents.KillPlugin(i.t.ctx, &agentapi.DriverRequest{Node: node, Driver: i.subject.Driver})
	if err != nil {
		i.t.SetBlocked("the driver's process could not be killed")
	}
	i.t.NoError(err, "kill driver %s", i.subject.Driver)
}

// AwaitBack waits until the driver's pod on a node is ready and its pools are complete.
func (i *Installed) AwaitBack(node string) {
	ginkgo.GinkgoHelper()
	i.awaitPods(node, "the driver's pod", func(corev1.Pod) bool { return true })
	i.awaitPublished(node)
}

func (i *Installed) awaitPublished(node string) {
	ginkgo.GinkgoHelper()
	i.t.Poll(fmt.Sprintf("the driver's pools on %s to be complete", node), func(ctx context.Context) (bool, string, error) {
		return i.published(ctx, node)
	})
}

// published is whether the driver has complete pools with devices for a node.
func (i *Installed) published(ctx context.Context, node string) (ok bool, seen string, err error) {
	all, problem, err := i.t.poolsOf(ctx, i.subject.Driver)
	if err != nil || problem != "" {
		return false, problem, err
	}
	for _, pool := range all {
		ok = ok || slices.ContainsFunc(pool.Devices(), func(d pools.Device) bool { return d.Node == node })
	}
	return ok, fmt.Sprintf("%d pools of the driver", len(all)), nil
}

// pods are the driver's own on a node.
func (i *Installed) pods(ctx context.Context, node string) []corev1.Pod {
	ginkgo.GinkgoHelper()
	all, err := i.t.driverPods(ctx)
	i.t.NoError(err, "list the driver's pods")
	return slices.DeleteFunc(all, func(p corev1.Pod) bool { return p.Spec.NodeName != node })
}

// awaitPods waits until the driver has a pod on a node, and all that it has there are
// these and ready.
func (i *Installed) awaitPods(node, what string, is func(corev1.Pod) bool) {
	ginkgo.GinkgoHelper()
	i.t.Poll(fmt.Sprintf("%s on %s to be ready", what, node), func(ctx context.Context) (bool, string, error) {
		all, err := i.t.driverPods(ctx)
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

func ready(p corev1.Pod) bool {
	return p.DeletionTimestamp == nil && slices.ContainsFunc(p.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
}

// StopSandbox stops the sandbox of a pod of the case with all that runs in it, as a restart
// of its node does.
func (i *Installed) StopSandbox(pod *corev1.Pod) {
	ginkgo.GinkgoHelper()
	i.t.StopSandbox(pod)
}

// Sockets are those on a node that have the driver's name in theirs, below the kubelet's
// root directory.
func (i *Installed) Sockets(node string) []string {
	ginkgo.GinkgoHelper()
	files, err := agentapi.ReadEvidence(i.t.ctx, i.t.env.Agents, node, time.Now())
	list, ok := files["sockets"]
	if !ok {
		i.t.NoError(errors.Join(err, errors.New("the node shows no sockets")), "look for sockets on %s", node)
	}
	sockets := []string{}
	for socket := range strings.FieldsSeq(string(list)) {
		if spec.Names(i.subject.Driver, socket) {
			sockets = append(sockets, socket)
		}
	}
	return sockets
}

// driverPods are the own pods of the driver under test; none if they are not known.
func (t *T) driverPods(ctx context.Context) ([]corev1.Pod, error) {
	s := t.env.Plan.Target.Subject
	if s == nil || s.Namespace == "" {
		return nil, nil
	}
	list, err := t.Client.CoreV1().Pods(s.Namespace).List(ctx, metav1.ListOptions{LabelSelector: s.Selector})
	if err != nil {
		return nil, fmt.Errorf("list the driver's pods: %w", err)
	}
	return list.Items, nil
}
