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
	"slices"
	"testing"
)

// The claim is written, its allocation still pending. An attempt without the claim's new version makes
// another pod wait.
func TestPodStartsToWaitAtTheEndOfAFlight(t *testing.T) {
	w := newWorld(t, small()...)
	claim := w.claim("one")
	w.manager.beforeAssume = func() {
		if !w.plugin.inFlight(claim, using("sharing", "one")) {
			t.Error("the claim is not in flight any more")
		}
	}
	w.schedule(using("pod", "one"))
	if woken := w.handle.woken(); !slices.Equal(woken, []string{"ns/sharing"}) {
		t.Errorf("woken: %v", woken)
	}
	w.noneWaits()
}

func TestNobodyWaitsForADeletedClaim(t *testing.T) {
	w := newWorld(t, small()...)
	r := w.find(using("pod", "one"))
	if status := w.plugin.Reserve(w.ctx, r.cycle, r.pod, r.node); !status.IsSuccess() {
		t.Fatal(status)
	}
	w.find(using("sharing", "one")).wantRejected("in the process of being allocated")
	w.delete("one")
	w.noneWaits()
	w.plugin.Unreserve(w.ctx, r.cycle, r.pod, r.node)
}

func (w *world) noneWaits() {
	w.t.Helper()
	w.plugin.cluster.waiting.mu.Lock()
	defer w.plugin.cluster.waiting.mu.Unlock()
	if n := len(w.plugin.cluster.waiting.pods); n != 0 {
		w.t.Errorf("pods wait for %d claims", n)
	}
}
