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

package soak

import (
	"context"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// podTimes has the observed times of a pod.
type podTimes struct {
	kind string
	// made is the time of the request, created the time the API server had it.
	made, created, scheduled, started, ended time.Time
	gone                                     bool
	// failed is whether it failed without having been deleted.
	failed bool
}

// over is whether the pod needs nothing any more.
func (l podTimes) over() bool { return l.gone || !l.ended.IsZero() }

// tracker tracks the load's pods by a watch.
type tracker struct {
	mutex sync.Mutex
	lives map[string]*podTimes
	seen  map[string]corev1.PodPhase
	// changed is closed and replaced on every change, last is the time of the last one.
	changed chan struct{}
	last    time.Time
}

func newTracker() *tracker {
	return &tracker{lives: map[string]*podTimes{}, seen: map[string]corev1.PodPhase{}, changed: make(chan struct{}), last: time.Now()}
}

// add registers a pod about to be created.
func (t *tracker) add(name, kind string) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.lives[name] = &podTimes{kind: kind, made: time.Now()}
	t.last = time.Now()
}

func (t *tracker) created(name string) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.lives[name].created = time.Now()
}

// see takes the pods as they are now.
func (t *tracker) see(state map[types.UID]*corev1.Pod, listed time.Time) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	now, changes := time.Now(), false
	there := map[string]bool{}
	for _, pod := range state {
		there[pod.Name] = true
		if l := t.lives[pod.Name]; l != nil {
			changes = l.see(pod, now) || changes
		}
		changes = changes || t.seen[pod.Name] != pod.Status.Phase
		t.seen[pod.Name] = pod.Status.Phase
	}
	for name, l := range t.lives {
		_, known := t.seen[name]
		if !l.gone && !there[name] && (known || !l.created.IsZero() && l.created.Before(listed)) {
			l.gone, changes = true, true
		}
	}
	if changes {
		t.last = now
		close(t.changed)
		t.changed = make(chan struct{})
	}
}

// see records a pod's state, and reports whether it is new.
func (l *podTimes) see(pod *corev1.Pod, now time.Time) bool {
	before := *l
	once := func(at *time.Time, is bool) {
		if is && at.IsZero() {
			*at = now
		}
	}
	over := pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
	once(&l.scheduled, pod.Spec.NodeName != "")
	once(&l.started, pod.Status.Phase == corev1.PodRunning || pod.Status.Phase == corev1.PodSucceeded)
	once(&l.ended, over)
	l.failed = l.failed || pod.Status.Phase == corev1.PodFailed && pod.DeletionTimestamp == nil
	return *l != before
}

// await waits until ok holds for a pod, or ctx ends.
func (t *tracker) await(ctx context.Context, name string, ok func(podTimes) bool) error {
	for {
		t.mutex.Lock()
		now, changed := *t.lives[name], t.changed
		t.mutex.Unlock()
		if ok(now) {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-changed:
		}
	}
}

// lastChange is when something changed last.
func (t *tracker) lastChange() time.Time {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.last
}

func (t *tracker) all() []podTimes {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	lives := make([]podTimes, 0, len(t.lives))
	for _, l := range t.lives {
		lives = append(lives, *l)
	}
	return lives
}
