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

package kubelet

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
)

// updates queues pods for a status update. None is lost without a receiver, and each is queued
// once.
type updates struct {
	out  chan []types.UID
	wake chan struct{}

	mu   sync.Mutex
	pods sets.Set[types.UID]
}

func newUpdates() *updates {
	return &updates{out: make(chan []types.UID), wake: make(chan struct{}, 1), pods: sets.New[types.UID]()}
}

func (u *updates) add(pods []types.UID) {
	if len(pods) == 0 {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.pods.Insert(pods...)
	select {
	case u.wake <- struct{}{}:
	default:
	}
}

func (u *updates) take() []types.UID {
	u.mu.Lock()
	defer u.mu.Unlock()
	pods := sets.List(u.pods)
	u.pods = sets.New[types.UID]()
	return pods
}

func (u *updates) run(ctx context.Context) {
	for {
		select {
		case <-u.wake:
		case <-ctx.Done():
			return
		}
		select {
		case u.out <- u.take():
		case <-ctx.Done():
			return
		}
	}
}

// Updates returns pods in need of a status update because device health changed. It always returns
// the same channel.
func (m *Manager) Updates() <-chan []types.UID { return m.updates.out }
