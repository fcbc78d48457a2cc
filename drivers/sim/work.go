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

package sim

import (
	"context"
	"sync"
	"time"
)

type work struct {
	mu        sync.Mutex
	now, most int64
}

// begin counts a call until end is called.
func (w *work) begin() (end func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now++
	w.most = max(w.most, w.now)
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.now--
	}
}

// atOnce is the maximum number of concurrent calls.
func (w *work) atOnce() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.most
}

// toil waits a second, or until ctx ends (spec.FaultBusy).
func toil(ctx context.Context) {
	timer := time.NewTimer(time.Second)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
