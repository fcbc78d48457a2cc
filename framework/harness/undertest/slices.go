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
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/await"
	"github.com/dra-conformance/dratest/framework/pools"
)

// SliceHistory records all states of a driver's slices.
type SliceHistory struct {
	t    *harness.T
	stop context.CancelFunc
	done sync.WaitGroup

	mu sync.Mutex
	// states counts the states of the slices, and broken are the first problems found in one.
	states int
	broken []string
	// changed is when the last state began.
	changed time.Time
	lost    error
	// first are the nodes with devices when the watch began; without has those that had none later,
	// with the time.
	first   []string
	without map[string]string
}

// WatchSlices checks each state of the driver's slices from now on.
func (d *Driver) WatchSlices() *SliceHistory {
	ctx, cancel := context.WithCancel(d.t.Context())
	h := &SliceHistory{t: d.t, stop: cancel}
	source, driver := await.Slices(d.t.Client, d.spec.Driver), d.spec.Driver
	synced := make(chan struct{})
	h.done.Go(func() {
		now := map[types.UID]resourceapi.ResourceSlice{}
		err := source.Events(ctx, func(all []any) error {
			for _, o := range all {
				s := o.(*resourceapi.ResourceSlice)
				now[s.UID] = *s
			}
			h.look(driver, now)
			close(synced)
			return nil
		}, func(e watch.Event) (bool, error) {
			s, ok := e.Object.(*resourceapi.ResourceSlice)
			if !ok {
				return false, fmt.Errorf("expected a slice, got a %T", e.Object)
			}
			if now[s.UID] = *s; e.Type == watch.Deleted {
				delete(now, s.UID)
			}
			h.look(driver, now)
			return false, nil
		})
		if ctx.Err() == nil {
			h.mu.Lock()
			h.lost = err
			h.mu.Unlock()
		}
	})
	select {
	case <-synced:
	case <-ctx.Done():
	}
	return h
}

func (h *SliceHistory) look(driver string, now map[types.UID]resourceapi.ResourceSlice) {
	all := slices.Collect(maps.Values(now))
	problems, nodes := pools.Broken(driver, all), nodesWith(driver, all)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.changed = time.Now()
	if h.states++; h.states == 1 {
		h.first, h.without = nodes, map[string]string{}
	}
	for _, node := range h.first {
		if !slices.Contains(nodes, node) && h.without[node] == "" {
			h.without[node] = time.Now().UTC().Format(time.RFC3339Nano)
		}
	}
	if len(problems) > 0 && len(h.broken) == 0 {
		h.broken = append([]string{"at " + time.Now().UTC().Format(time.RFC3339Nano)}, problems...)
	}
}

// nodesWith are the nodes with devices of a driver in these slices.
func nodesWith(driver string, published []resourceapi.ResourceSlice) []string {
	var nodes []string
	for _, d := range pools.Devices(driver, published, nil) {
		nodes = append(nodes, d.Node)
	}
	slices.Sort(nodes)
	return slices.Compact(nodes)
}

// ExpectAlways ends the case if a node lost all its devices at any time since the watch began.
func (h *SliceHistory) ExpectAlways() {
	ginkgo.GinkgoHelper()
	h.ExpectSound()
	h.t.Expect(h.without).To(gomega.BeEmpty(), "nodes without devices of the driver, and since when")
}

// ExpectSound ends the case if the slices were invalid at any time.
func (h *SliceHistory) ExpectSound() {
	ginkgo.GinkgoHelper()
	h.stop()
	h.done.Wait()
	h.t.NoError(h.lost, "watch the driver's slices")
	h.t.Note("%d states of the driver's slices", h.states)
	h.t.Expect(h.broken).To(gomega.BeEmpty(), "errors in the driver's slices")
}

// awaitQuiet waits until the slices have not changed for a time, at most until the limit, and
// returns the number of states until then.
func (h *SliceHistory) awaitQuiet(quiet, limit time.Duration) (states int) {
	ginkgo.GinkgoHelper()
	h.t.OccursWithin(limit, fmt.Sprintf("the driver's slices to stay as they are for %s", quiet), func(context.Context) (bool, string, error) {
		h.mu.Lock()
		defer h.mu.Unlock()
		states = h.states
		return time.Since(h.changed) > quiet, fmt.Sprintf("state %d since %s", h.states, h.changed.UTC().Format(time.RFC3339)), h.lost
	})
	return states
}
