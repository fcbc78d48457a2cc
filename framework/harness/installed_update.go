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
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/framework/agentapi"
)

// restartedAt is the annotation by which "kubectl rollout restart" replaces all pods.
const restartedAt = "kubectl.kubernetes.io/restartedAt"

// Rollout is an update of the driver's DaemonSet that goes on by itself.
type Rollout struct {
	driver  *Installed
	started time.Time
	// old are the pods of before.
	old map[types.UID]bool
}

// RollOut begins to replace all pods of the driver in the way that its DaemonSet says.
func (i *Installed) RollOut() *Rollout {
	ginkgo.GinkgoHelper()
	i.t.Step("replace all pods of daemon set %s/%s", i.subject.Namespace, i.subject.DaemonSet)
	r := &Rollout{driver: i, started: time.Now(), old: i.endAll()}
	patch := fmt.Sprintf(`{"spec":{"template":{"metadata":{"annotations":{%q:%q}}}}}`, restartedAt, r.started.UTC().Format(time.RFC3339))
	_, err := i.t.Client.AppsV1().DaemonSets(i.subject.Namespace).Patch(i.t.ctx, i.subject.DaemonSet, types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{})
	i.t.NoError(err, "change the daemon set")
	return r
}

// Done is whether all pods are new and available, and the old ones are gone.
func (r *Rollout) Done() bool {
	ginkgo.GinkgoHelper()
	done, seen, _, err := r.look(r.driver.t.ctx)
	r.driver.t.NoError(err, "look at the daemon set and the driver's pods")
	r.driver.t.Note("%s", seen)
	return done
}

func (r *Rollout) look(ctx context.Context) (done bool, seen string, pods []corev1.Pod, err error) {
	if done, seen, err = r.driver.rolledOut(ctx); err != nil {
		return false, "", nil, err
	}
	pods, err = r.driver.t.driverPods(ctx)
	old := slices.ContainsFunc(pods, func(p corev1.Pod) bool { return r.old[p.UID] })
	return done && !old && err == nil, seen, pods, err
}

// AwaitInTurn waits until the rollout is done, and ends the case if a node has two pods of the
// driver whose processes run.
func (r *Rollout) AwaitInTurn() {
	ginkgo.GinkgoHelper()
	t := r.driver.t
	t.Poll(fmt.Sprintf("all pods of daemon set %s/%s to be new", r.driver.subject.Namespace, r.driver.subject.DaemonSet), func(ctx context.Context) (bool, string, error) {
		done, seen, pods, err := r.look(ctx)
		if both := sideBySide(pods); both != "" {
			t.Fatalf("%s: the daemon set of a driver that is not fit for that has maxSurge 0", both)
		}
		return done, seen, err
	})
}

// sideBySide says which node has two pods that run, empty for none.
func sideBySide(pods []corev1.Pod) string {
	on := map[string]string{}
	for _, p := range pods {
		if !hasStarted(p) || hasEnded(p) {
			continue
		}
		if other, ok := on[p.Spec.NodeName]; ok {
			return fmt.Sprintf("pods %s and %s of the driver run side by side on %s", other, p.Name, p.Spec.NodeName)
		}
		on[p.Spec.NodeName] = p.Name
	}
	return ""
}

// ExpectAllAnswered ends the case if the kubelet of a node found no driver to call since the
// rollout began, for whichever pod.
func (r *Rollout) ExpectAllAnswered(node string) {
	ginkgo.GinkgoHelper()
	t, driver := r.driver.t, r.driver.subject.Driver
	events, err := t.Client.CoreV1().Events(t.Namespace).List(t.ctx, metav1.ListOptions{})
	t.NoError(err, "list events")
	var problems []string
	for _, e := range events.Items {
		if e.Reason == prepareFailed && says(e.Message, append(unregistered(), "code = Unavailable")) {
			problems = append(problems, e.InvolvedObject.Name+": "+e.Message)
		}
	}
	lines, err := agentapi.ReadKubeletLines(t.ctx, t.env.Agents, node, r.started, driver)
	if err != nil && len(problems) == 0 {
		t.SetBlocked("the kubelet's log cannot be read")
		t.NoError(err, "read the kubelet's log on %s", node)
	}
	for line := range strings.Lines(string(lines)) {
		if says(line, unregistered()) {
			problems = append(problems, strings.TrimSpace(line))
		}
	}
	t.Expect(problems).To(gomega.BeEmpty(), "calls for the driver on %s that nobody answered", node)
}

// prepareFailed is the reason of the kubelet's event about a claim that is not prepared.
const prepareFailed = "FailedPrepareDynamicResources"

// unregistered is what kubelets say if they have no driver to call.
func unregistered() []string {
	return []string{"is not registered", "not found in the list of registered"}
}

// says is whether a line has one of some texts.
func says(line string, texts []string) bool {
	return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(line, text) })
}

// awaitRolledOut waits until the DaemonSet has made all pods as it is now.
func (i *Installed) awaitRolledOut() {
	ginkgo.GinkgoHelper()
	i.t.Poll(fmt.Sprintf("all pods of daemon set %s/%s to be new", i.subject.Namespace, i.subject.DaemonSet), i.rolledOut)
}

func (i *Installed) rolledOut(ctx context.Context) (bool, string, error) {
	set, err := i.t.Client.AppsV1().DaemonSets(i.subject.Namespace).Get(ctx, i.subject.DaemonSet, metav1.GetOptions{})
	if err != nil {
		return false, "", fmt.Errorf("get daemon set: %w", err)
	}
	done, seen := rolledOut(set)
	return done, seen, nil
}

func rolledOut(set *appsv1.DaemonSet) (done bool, seen string) {
	s := set.Status
	return s.ObservedGeneration >= set.Generation && s.UpdatedNumberScheduled == s.DesiredNumberScheduled && s.NumberAvailable == s.DesiredNumberScheduled && s.NumberUnavailable == 0,
		fmt.Sprintf("of %d pods %d are new and %d available", s.DesiredNumberScheduled, s.UpdatedNumberScheduled, s.NumberAvailable)
}
