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

package perf

import (
	"context"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// PodTimes records watch events of a namespace's pods, for scenarios.
type PodTimes struct {
	mutex sync.Mutex
	pods  map[string]SeenPod
}

// SeenPod is the observed state of a pod, by this program's clock.
type SeenPod struct {
	Bound, Running time.Time
	// Failed excludes pods being deleted. HasClaims reports whether the pod's status names its claims.
	Failed, HasClaims bool
}

// WatchPods watches the pods of a namespace until ctx is done. The client is for core/v1.
func WatchPods(ctx context.Context, client rest.Interface, namespace string) (*PodTimes, error) {
	t := &PodTimes{pods: map[string]SeenPod{}}
	informer := cache.NewSharedIndexInformer(cache.NewListWatchFromClient(client, "pods", namespace, fields.Everything()), &corev1.Pod{}, 0, nil)
	registration, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: t.see, UpdateFunc: func(_, now any) { t.see(now) }, DeleteFunc: t.forget})
	if err != nil {
		return nil, fmt.Errorf("watch pods: %w", err)
	}
	go informer.RunWithContext(ctx)
	if !cache.WaitForCacheSync(ctx.Done(), registration.HasSynced) {
		return nil, fmt.Errorf("watch pods: %w", context.Cause(ctx))
	}
	return t, nil
}

func (t *PodTimes) see(o any) {
	pod, ok := o.(*corev1.Pod)
	if !ok {
		return
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	seen, now := t.pods[pod.Name], time.Now()
	if seen.Bound.IsZero() && pod.Spec.NodeName != "" {
		seen.Bound = now
	}
	if seen.Running.IsZero() && pod.Status.Phase == corev1.PodRunning {
		seen.Running = now
	}
	seen.Failed = seen.Failed || pod.Status.Phase == corev1.PodFailed && pod.DeletionTimestamp == nil
	seen.HasClaims = len(pod.Status.ResourceClaimStatuses) > 0
	t.pods[pod.Name] = seen
}

func (t *PodTimes) forget(o any) {
	if gone, ok := o.(cache.DeletedFinalStateUnknown); ok {
		o = gone.Obj
	}
	if pod, ok := o.(*corev1.Pod); ok {
		t.mutex.Lock()
		defer t.mutex.Unlock()
		delete(t.pods, pod.Name)
	}
}

// Of returns the observed state of a pod; zero if absent.
func (t *PodTimes) Of(name string) SeenPod {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.pods[name]
}

// Count returns the number of matching pods.
func (t *PodTimes) Count(of func(SeenPod) bool) (n int) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	for _, seen := range t.pods {
		if of(seen) {
			n++
		}
	}
	return n
}
