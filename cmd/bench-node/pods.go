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

package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

// podTimes are when pods of a namespace were seen to be bound and to run, and whether
// they know their claim.
type podTimes struct {
	mutex sync.Mutex
	pods  map[string]times
}

type times struct {
	bound, running time.Time
	failed, served bool
}

// watchPods looks at the pods of a namespace until ctx ends.
func (b *bench) watchPods(ctx context.Context, namespace string) (*podTimes, error) {
	t := &podTimes{pods: map[string]times{}}
	factory := informers.NewSharedInformerFactoryWithOptions(b.client, 0, informers.WithNamespace(namespace))
	registration, err := factory.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    t.see,
		UpdateFunc: func(_, now any) { t.see(now) },
		DeleteFunc: t.forget,
	})
	if err != nil {
		return nil, fmt.Errorf("watch pods: %w", err)
	}
	factory.StartWithContext(ctx)
	if !cache.WaitForCacheSync(ctx.Done(), registration.HasSynced) {
		return nil, errors.New("watch pods: no answer")
	}
	return t, nil
}

func (t *podTimes) see(o any) {
	pod, ok := o.(*corev1.Pod)
	if !ok {
		return
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	seen, now := t.pods[pod.Name], time.Now()
	if seen.bound.IsZero() && pod.Spec.NodeName != "" {
		seen.bound = now
	}
	if seen.running.IsZero() && pod.Status.Phase == corev1.PodRunning {
		seen.running = now
	}
	seen.failed = seen.failed || pod.Status.Phase == corev1.PodFailed && pod.DeletionTimestamp == nil
	seen.served = len(pod.Status.ResourceClaimStatuses) > 0
	t.pods[pod.Name] = seen
}

func (t *podTimes) forget(o any) {
	if gone, ok := o.(cache.DeletedFinalStateUnknown); ok {
		o = gone.Obj
	}
	if pod, ok := o.(*corev1.Pod); ok {
		t.mutex.Lock()
		defer t.mutex.Unlock()
		delete(t.pods, pod.Name)
	}
}

// started is whether a pod runs, and how long that took from when it was bound. A
// pod that failed is an error.
func (t *podTimes) started(name string) (took time.Duration, runs bool, err error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	seen := t.pods[name]
	if seen.failed {
		return 0, false, fmt.Errorf("pod %s failed", name)
	}
	return seen.running.Sub(seen.bound), !seen.running.IsZero(), nil
}

// runningSince is when a pod was seen to run; zero if it was not.
func (t *podTimes) runningSince(name string) time.Time {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.pods[name].running
}

// served is how many pods know their claim.
func (t *podTimes) served() (n int) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	for _, seen := range t.pods {
		if seen.served {
			n++
		}
	}
	return n
}

// none says whether there are no pods.
func (t *podTimes) none() bool {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return len(t.pods) == 0
}
