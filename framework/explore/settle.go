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

package explore

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/dra-conformance/dratest/framework/follow"
)

// podWatch caches the pods of a namespace.
type podWatch struct {
	mutex   sync.Mutex
	pods    map[string]*corev1.Pod
	changed chan struct{}
}

func newPodWatch() *podWatch { return &podWatch{changed: make(chan struct{}, 1)} }

// follow watches the pods until ctx is done.
func (w *podWatch) follow(ctx context.Context, client kubernetes.Interface, namespace string) {
	follow.Follower[*corev1.Pod]{
		Source: follow.From[*corev1.Pod](client.CoreV1().Pods(namespace), metav1.ListOptions{}),
		Do:     func(ctx context.Context, request func(context.Context) error) error { return request(ctx) },
		See: func(s follow.State[*corev1.Pod]) {
			pods := make(map[string]*corev1.Pod, len(s.Objects))
			for _, pod := range s.Objects {
				pods[pod.Name] = pod
			}
			w.mutex.Lock()
			w.pods = pods
			w.mutex.Unlock()
			select {
			case w.changed <- struct{}{}:
			default:
			}
		},
		Broke: func(error, time.Time) {},
	}.Run(ctx)
}

func (w *podWatch) get(name string) *corev1.Pod {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.pods[name]
}

const (
	// maxNudges limits how often pending pods are retried.
	maxNudges = 20
	// triggerEvery is the interval of further events while a retry is awaited. The scheduler may miss the effect of one:
	// it does not report an attempt with the message that its cache still has.
	triggerEvery = 3 * time.Second
)

// attempts selects scheduling attempts: the pod's condition has another message than mark, and at
// least the pod's generation.
type attempts struct {
	mark        string
	generations map[string]int64
	// trigger makes the scheduler retry pending pods, if set.
	trigger func(context.Context) error
}

// settle waits for the final state and returns the pods: each is bound, or failed to schedule again
// after all others were decided. With binding conditions, allocations must not change in between. Evicted pods are left out.
func (t *trial) settle(ctx context.Context) (map[string]*corev1.Pod, error) {
	pods, allocations, err := t.decided(ctx, attempts{})
	for i := 0; err == nil && i < maxNudges; i++ {
		before, old := bound(pods), allocations
		if before == len(pods) {
			return pods, nil
		}
		again, nudgeErr := t.nudge(ctx, pods, i)
		if nudgeErr != nil {
			return nil, nudgeErr
		}
		if pods, allocations, err = t.decided(ctx, again); err == nil && bound(pods) == before && allocations == old {
			return pods, nil
		}
	}
	if err == nil {
		err = fmt.Errorf("pods or allocations still changed after %d attempts", maxNudges)
	}
	return nil, err
}

func bound(pods map[string]*corev1.Pod) int {
	n := 0
	for _, pod := range pods {
		if pod.Spec.NodeName != "" {
			n++
		}
	}
	return n
}

// decided waits until each pod is bound or had one of these attempts, and returns the allocations at that time.
func (t *trial) decided(ctx context.Context, since attempts) (map[string]*corev1.Pod, string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, errNotTried)
	defer cancel()
	ticker := time.NewTicker(triggerEvery)
	defer ticker.Stop()
	var bind <-chan time.Time
	if t.binder != nil {
		ticker := time.NewTicker(bindEvery)
		defer ticker.Stop()
		bind = ticker.C
	}
	for {
		pods, waiting := map[string]*corev1.Pod{}, ""
		for _, p := range t.problem.Pods {
			if t.evicted[p.Name] {
				continue
			}
			pod := t.pods.get(p.Name)
			if pod == nil || !since.has(pod) {
				waiting = p.Name
				break
			}
			pods[p.Name] = pod
		}
		if waiting == "" {
			allocations, err := t.allocations(ctx)
			return pods, allocations, err
		}
		var err error
		select {
		case <-t.pods.changed:
		case <-ticker.C:
			err = t.again(ctx, waiting, since)
		case <-bind:
			err = t.bind(ctx)
		case <-ctx.Done():
		}
		switch {
		case ctx.Err() != nil:
			return nil, "", fmt.Errorf("wait for an attempt to schedule pod %s, last seen %s: %w", waiting, conditionsOf(t.pods.get(waiting)), context.Cause(ctx))
		case err != nil:
			return nil, "", err
		}
	}
}

// again looks whether a pod was evicted because of a device's taint. If not, the scheduler gets another event.
func (t *trial) again(ctx context.Context, pod string, since attempts) error {
	if t.pods.get(pod) == nil {
		_, err := t.client.CoreV1().Pods(t.namespace.Name).Get(ctx, pod, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return t.gone(pod)
		}
		return err
	}
	if since.trigger == nil {
		return nil
	}
	return since.trigger(ctx)
}

// gone takes a deleted pod for evicted, if a device has a taint that evicts pods.
func (t *trial) gone(pod string) error {
	evicts := func(by resourceapi.DeviceTaint) bool { return by.Effect == resourceapi.DeviceTaintEffectNoExecute }
	device := func(d resourceapi.Device) bool { return slices.ContainsFunc(d.Taints, evicts) }
	if !slices.ContainsFunc(t.problem.Slices, func(s resourceapi.ResourceSlice) bool { return slices.ContainsFunc(s.Spec.Devices, device) }) &&
		!slices.ContainsFunc(t.problem.Rules, func(r resourceapi.DeviceTaintRule) bool { return evicts(r.Spec.Taint) }) {
		return fmt.Errorf("pod %s was deleted, and no device has a taint with effect NoExecute", pod)
	}
	t.evicted[pod] = true
	return nil
}

func conditionsOf(pod *corev1.Pod) string {
	if pod == nil {
		return "never"
	}
	text, err := json.Marshal(pod.Status.Conditions)
	if err != nil {
		return err.Error()
	}
	return "with conditions " + string(text)
}

var errNotTried = fmt.Errorf("the scheduler did not try it for %s", patience)

// has reports whether a pod is bound or had one of the attempts. Schedulers before v1.34 do not
// report generations.
func (a attempts) has(pod *corev1.Pod) bool {
	if pod.Spec.NodeName != "" {
		return true
	}
	return slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse && c.Message != a.mark &&
			(c.ObservedGeneration == 0 || c.ObservedGeneration >= a.generations[pod.Name])
	})
}

// nudge makes the scheduler retry pending pods by changing a node label. Before that, it changes
// each pod's generation and condition message, to recognize the next attempt.
func (t *trial) nudge(ctx context.Context, pods map[string]*corev1.Pod, number int) (attempts, error) {
	again := attempts{mark: fmt.Sprintf("dratest asks again (%d)", number+1), generations: map[string]int64{}}
	status, err := json.Marshal(map[string]any{"status": map[string]any{"conditions": []corev1.PodCondition{{
		Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable, Message: again.mark,
	}}}})
	if err != nil {
		return again, err
	}
	toleration := fmt.Appendf(nil, `[{"op":"add","path":"/spec/tolerations/-","value":{"key":%q,"operator":"Exists","effect":"NoExecute","tolerationSeconds":%d}}]`, taint, number+1)
	api := t.client.CoreV1().Pods(t.namespace.Name)
	for _, pod := range pods {
		if pod.Spec.NodeName != "" {
			continue
		}
		changed, err := api.Patch(ctx, pod.Name, types.JSONPatchType, toleration, metav1.PatchOptions{})
		if err == nil {
			again.generations[pod.Name] = changed.Generation
			_, err = api.Patch(ctx, pod.Name, types.StrategicMergePatchType, status, metav1.PatchOptions{}, "status")
		}
		if err != nil && !apierrors.IsNotFound(err) {
			return again, fmt.Errorf("change pod %s: %w", pod.Name, err)
		}
	}
	events := 0
	again.trigger = func(ctx context.Context) error {
		events++
		return t.changeNode(ctx, fmt.Sprintf("%d-%d", number+1, events))
	}
	return again, again.trigger(ctx)
}

// changeNode changes a label of the first node.
func (t *trial) changeNode(ctx context.Context, value string) error {
	node := t.problem.Nodes[0].Name
	labels := fmt.Appendf(nil, `{"metadata":{"labels":{"dra-conformance.github.io/again":%q}}}`, value)
	if _, err := t.client.CoreV1().Nodes().Patch(ctx, node, types.MergePatchType, labels, metav1.PatchOptions{}); err != nil {
		return fmt.Errorf("change node %s: %w", node, err)
	}
	return nil
}
