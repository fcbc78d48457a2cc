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

package scheduler

import (
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// waitingPods are pods rejected because another pod is allocating one of their claims. If the
// allocation fails before anything is written, no event wakes them.
type waitingPods struct {
	mu   sync.Mutex
	pods map[types.UID]map[types.UID]*v1.Pod // by claim, then by pod
}

func (w *waitingPods) add(claim types.UID, pod *v1.Pod) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.pods == nil {
		w.pods = make(map[types.UID]map[types.UID]*v1.Pod)
	}
	if w.pods[claim] == nil {
		w.pods[claim] = make(map[types.UID]*v1.Pod)
	}
	w.pods[claim][pod.UID] = pod
}

func (w *waitingPods) remove(claim types.UID, pod *v1.Pod) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.pods[claim], pod.UID)
	if len(w.pods[claim]) == 0 {
		delete(w.pods, claim)
	}
}

// take removes and returns the pods waiting for a claim, in the format of Handle.Activate.
func (w *waitingPods) take(claim types.UID) map[string]*v1.Pod {
	w.mu.Lock()
	defer w.mu.Unlock()
	pods := make(map[string]*v1.Pod, len(w.pods[claim]))
	for _, pod := range w.pods[claim] {
		pods[pod.Namespace+"/"+pod.Name] = pod
	}
	delete(w.pods, claim)
	return pods
}

// recentPodsTime limits the memory of recentPods. The relevant event comes immediately.
const recentPodsTime = time.Minute

// recentPods are pods that released devices never visible in the API.
type recentPods struct {
	mu   sync.Mutex
	pods map[types.UID]time.Time
}

func (r *recentPods) add(pod types.UID, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.pods == nil {
		r.pods = make(map[types.UID]time.Time)
	}
	for uid, since := range r.pods {
		if now.Sub(since) > recentPodsTime {
			delete(r.pods, uid)
		}
	}
	r.pods[pod] = now
}

func (r *recentPods) has(pod types.UID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, ok := r.pods[pod]
	return ok
}

// claimWatches notifies watchers about changes of claims.
type claimWatches struct {
	mu      sync.Mutex
	watches map[types.UID]map[chan struct{}]struct{}
}

// watch returns a channel with a value after a change of one of the claims. Pending notifications are
// merged. Callers must call stop.
func (w *claimWatches) watch(claims []types.UID) (changed <-chan struct{}, stop func()) {
	ch := make(chan struct{}, 1)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.watches == nil {
		w.watches = make(map[types.UID]map[chan struct{}]struct{})
	}
	for _, uid := range claims {
		if w.watches[uid] == nil {
			w.watches[uid] = make(map[chan struct{}]struct{})
		}
		w.watches[uid][ch] = struct{}{}
	}
	return ch, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, uid := range claims {
			delete(w.watches[uid], ch)
			if len(w.watches[uid]) == 0 {
				delete(w.watches, uid)
			}
		}
	}
}

func (w *claimWatches) notify(claim types.UID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for ch := range w.watches[claim] {
		select {
		case ch <- struct{}{}:
		default:
		}
	}
}
