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
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/resourceversion"
)

// watermark is the resource version of the latest handled event. The zero value is before all events.
type watermark struct {
	mu      sync.Mutex
	version string
	moved   chan struct{} // closed when version changes; nil without waiters
}

// advance records a handled event with this version.
func (w *watermark) advance(version string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.reached(version) {
		return
	}
	w.version = version
	if w.moved != nil {
		close(w.moved)
		w.moved = nil
	}
}

// reached must be called with the lock held. Incomparable versions count as reached: waiting would be
// pointless.
func (w *watermark) reached(version string) bool {
	if w.version == "" {
		_, err := resourceversion.CompareResourceVersion(version, version)
		return err != nil
	}
	order, err := resourceversion.CompareResourceVersion(w.version, version)
	return err != nil || order >= 0
}

// wait returns true when version has been reached, false after limit. A timeout marks version as an
// eventless one (initial list, bookmark), so no other caller waits for it.
func (w *watermark) wait(ctx context.Context, version string, limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for {
		moved := w.next(version)
		if moved == nil {
			return true
		}
		select {
		case <-moved:
		case <-timer.C:
			w.advance(version)
			return false
		case <-ctx.Done():
			return false
		}
	}
}

// next returns nil if version has been reached, otherwise a channel closed at the next change.
func (w *watermark) next(version string) <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.reached(version) {
		return nil
	}
	if w.moved == nil {
		w.moved = make(chan struct{})
	}
	return w.moved
}
