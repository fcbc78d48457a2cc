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

// restartedAt is the annotation set by "kubectl rollout restart".
const restartedAt = "kubectl.kubernetes.io/restartedAt"

// Rollout is an update of the driver's DaemonSet in progress.
type Rollout struct {
	driver  *Driver
	started time.Time
	// old are the pods from before the update.
	old map[types.UID]bool
}

// RollOut begins to replace all pods of the driver with the update strategy of its DaemonSet.
func (d *Driver) RollOut() *Rollout {
	ginkgo.GinkgoHelper()
	d.t.Step("replace all pods of daemon set %s/%s", d.spec.Namespace, d.spec.DaemonSet)
	r := &Rollout{driver: d, started: time.Now(), old: d.endAll()}
	patch := fmt.Sprintf(`{"spec":{"template":{"metadata":{"annotations":{%q:%q}}}}}`, restartedAt, r.started.UTC().Format(time.RFC3339))
	_, err := d.t.Client.AppsV1().DaemonSets(d.spec.Namespace).Patch(d.t.Context(), d.spec.DaemonSet, types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{})
	d.t.NoError(err, "change the daemon set")
	return r
}

// Done is whether all pods are new and available, and the old ones are gone.
func (r *Rollout) Done() bool {
	ginkgo.GinkgoHelper()
	done, seen, _, err := r.look(r.driver.t.Context())
	r.driver.t.NoError(err, "look at the daemon set and the driver's pods")
	r.driver.t.Note("%s", seen)
	return done
}

func (r *Rollout) look(ctx context.Context) (done bool, seen string, pods []corev1.Pod, err error) {
	if done, seen, err = r.driver.rolledOut(ctx); err != nil {
		return false, "", nil, err
	}
	pods, err = r.driver.driverPods(ctx)
	old := slices.ContainsFunc(pods, func(p corev1.Pod) bool { return r.old[p.UID] })
	return done && !old && err == nil, seen, pods, err
}

// AwaitInTurn waits for the end of the rollout. Two running pods of the driver on one node end the
// case.
func (r *Rollout) AwaitInTurn() {
	ginkgo.GinkgoHelper()
	t := r.driver.t
	t.Poll(fmt.Sprintf("all pods of daemon set %s/%s to be new", r.driver.spec.Namespace, r.driver.spec.DaemonSet), func(ctx context.Context) (bool, string, error) {
		done, seen, pods, err := r.look(ctx)
		if both := sideBySide(pods); both != "" {
			t.Fatalf("%s: the DaemonSet of a driver without rolling updates has maxSurge 0", both)
		}
		return done, seen, err
	})
}

// sideBySide names a node with two running pods, or is empty.
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

// ExpectAllAnswered ends the case if the kubelet of a node had no driver to call since the rollout
// began, for any pod.
func (r *Rollout) ExpectAllAnswered(node string) {
	ginkgo.GinkgoHelper()
	t, driver := r.driver.t, r.driver.spec.Driver
	events, err := t.Client.CoreV1().Events(t.Namespace).List(t.Context(), metav1.ListOptions{})
	t.NoError(err, "list events")
	var problems []string
	for _, e := range events.Items {
		if e.Reason == prepareFailed && containsAny(e.Message, append(unregistered(), "code = Unavailable")) {
			problems = append(problems, e.InvolvedObject.Name+": "+e.Message)
		}
	}
	lines, err := agentapi.ReadKubeletLines(t.Context(), t.Env().Agents, node, r.started, driver)
	if err != nil && len(problems) == 0 {
		t.SetBlocked("the kubelet's log cannot be read")
		t.NoError(err, "read the kubelet's log on %s", node)
	}
	for line := range strings.Lines(string(lines)) {
		if containsAny(line, unregistered()) {
			problems = append(problems, strings.TrimSpace(line))
		}
	}
	t.Expect(problems).To(gomega.BeEmpty(), "unanswered calls for the driver on %s", node)
}

// prepareFailed is the reason of the kubelet's event for a failed preparation.
const prepareFailed = "FailedPrepareDynamicResources"

// unregistered are the kubelet's messages about a missing driver.
func unregistered() []string {
	return []string{"is not registered", "not found in the list of registered"}
}

// containsAny is whether a line contains one of the texts.
func containsAny(line string, texts []string) bool {
	return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(line, text) })
}

// awaitRolledOut waits until all pods are of the DaemonSet's current revision.
func (d *Driver) awaitRolledOut() {
	ginkgo.GinkgoHelper()
	d.t.Poll(fmt.Sprintf("all pods of daemon set %s/%s to be new", d.spec.Namespace, d.spec.DaemonSet), d.rolledOut)
}

func (d *Driver) rolledOut(ctx context.Context) (bool, string, error) {
	set, err := d.t.Client.AppsV1().DaemonSets(d.spec.Namespace).Get(ctx, d.spec.DaemonSet, metav1.GetOptions{})
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
